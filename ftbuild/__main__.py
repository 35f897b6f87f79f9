"""``python -m ftbuild``: the same as the ``ftbuild`` command."""

from ftbuild.cli import main

if __name__ == "__main__":
    main()
