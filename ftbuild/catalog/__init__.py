"""Facts on parts and models, each with its source, date and confidence.

``load_catalog()`` gives the facts that ship with ftbuild; ``with_folder`` and ``with_parts`` lay a user's
own parts over them. Files are read when a kind is first asked for.
"""

from __future__ import annotations

from ftbuild.catalog.catalog import Catalog, load_catalog
from ftbuild.catalog.errors import CatalogError, UnknownPart

__all__ = ["Catalog", "CatalogError", "UnknownPart", "load_catalog"]
