"""Parts that a rig needs although nobody types them: one row a part, with the assumption behind its count."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Implied:
    """A part named by what it does; its price is known only where the build quotes one under `id`."""

    id: str
    title: str
    assumption: str
    passive: bool = False
    """It takes no power of its own; of the others nobody states what they take."""


IMPLIED = (
    Implied(id="gpu-baseboard", title="GPU baseboard (HGX, UBB)",
            assumption="SXM and OAM modules are sold on boards; one board for as many as it carries"),
    Implied(id="server-chassis", title="Server chassis, mainboard and fans",
            assumption="one a node; a baseboard's tray is part of it"),
    Implied(id="workstation-chassis", title="Case, mainboard and fans", assumption="one a desktop"),
    Implied(id="cpu-heatsink", title="CPU heatsink", assumption="one a socket on air"),
    Implied(id="cold-plate", title="Cold plate and hoses",
            assumption="one a GPU and one a socket with liquid cooling", passive=True),
    Implied(id="coolant-distribution", title="Coolant distribution unit or pump loop",
            assumption="one a rack with direct liquid cooling, one a node with a loop of its own"),
    Implied(id="rear-door", title="Rear-door heat exchanger", assumption="one a rack"),
    Implied(id="immersion-tank", title="Immersion tank", assumption="one for each rack's worth of nodes"),
    Implied(id="boot-drive", title="Boot drive",
            assumption="one a node, so that the system does not share the data array"),
    Implied(id="link-cable", title="Cable or transceiver pair",
            assumption="one a link to a switch, for a node alone too; two nodes are joined directly"),
    Implied(id="switch-port", title="Switch port",
            assumption="one a link where there are more than two nodes"),
    Implied(id="rack-pdu", title="Rack PDU", assumption="one a feed and rack, for servers"),
)  # fmt: skip
"""Source of the assumptions: usual assembly of servers and desktops."""
