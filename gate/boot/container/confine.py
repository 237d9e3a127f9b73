"""What a container may do: nothing that its config does not loosen by name."""

from collections.abc import Mapping
from typing import Any, Final

from gate.model.config import ContainerBoot

NOBODY: Final = "65534:65534"
TMP: Final = "/tmp"  # noqa: S108 - inside the container
_MIB: Final = 1024 * 1024
WRITABLE: Final[Mapping[str, int]] = {TMP: 256 * _MIB, "/run": 16 * _MIB}
"""What it may write to, with sizes in bytes, where its config names no others."""
ROOT: Final = frozenset({"", "0", "root"})


def limits(config: ContainerBoot) -> dict[str, Any]:
    """The part of a HostConfig that holds for setup and agent alike: memory, processes, no new privileges."""
    held = config.confinement
    return {
        "Memory": held.memory_bytes,
        "MemorySwap": held.memory_bytes,
        "PidsLimit": held.pids,
        "SecurityOpt": ["no-new-privileges"],
        "Init": True,
        "LogConfig": {"Type": "none"},
        "Ulimits": [{"Name": "core", "Soft": 0, "Hard": 0}],
    }


def confined(config: ContainerBoot, own: Mapping[str, Any]) -> dict[str, Any]:
    """The agent's HostConfig without its network; `own` is the image's config.

    The image's VOLUMEs become sized folders in memory as well. Folders that the image has keep their mode
    there (runc does that), so that they are made the agent's, where its user is a number.
    """
    held = config.confinement
    writable = {**dict.fromkeys(own.get("Volumes") or {}, WRITABLE[TMP]), **WRITABLE, **held.tmpfs}
    owner = _owner(user(config, own.get("User") or ""))
    return {
        **limits(config),
        "CapDrop": ["ALL"],
        "CapAdd": [*held.capabilities],
        "ReadonlyRootfs": held.read_only,
        "Tmpfs": {
            path: f"rw,exec,nosuid,nodev,mode=1777,size={size}{owner}" for path, size in writable.items()
        },
    }


def _owner(who: str) -> str:
    number, _, group = who.partition(":")
    parts = {"uid": number, "gid": group}
    return "".join(f",{key}={value}" for key, value in parts.items() if value.isdecimal())


def user(config: ContainerBoot, of_image: str) -> str:
    """Who the agent runs as: the config's, else the image's, and nobody where that would be root."""
    if config.confinement.user:
        return config.confinement.user
    return NOBODY if of_image.partition(":")[0] in ROOT else of_image
