# The Action, and the same gate for any other CI:
#   docker run --rm -v "$PWD:/work" -w /work --entrypoint /opt/agent-gate/bin/agent-gate IMAGE run
# No BuildKit syntax: GitHub's runner builds this with whatever the host has. No USER: the workspace belongs to the
# runner's user, whom nobody can name beforehand; the gate itself starts the agent as `nobody`. No WORKDIR: the runner
# sets its own.
ARG BASE=python:3.13-slim

# hadolint ignore=DL3006
FROM ${BASE} AS tools
WORKDIR /tools
# Debian's git brings perl and remote helpers, 119 MB; reading commits takes this one program and libraries that the
# base has. status.d tells scanners and SBOM tools what was taken (as in distroless images).
# hadolint ignore=DL3008
RUN apt-get update -qq \
    && apt-get download -qq git tini \
    && mkdir -p root/usr/bin root/var/lib/dpkg/status.d \
    && for name in git tini; do \
         dpkg-deb --extract "$name"_*.deb "$name" \
         && dpkg-deb --field "$name"_*.deb > "root/var/lib/dpkg/status.d/$name" \
         && cp "$name/usr/bin/$name" root/usr/bin/ \
         && install -D -m 644 "$name/usr/share/doc/$name/copyright" "root/usr/share/doc/$name/copyright" \
         && "root/usr/bin/$name" --version || exit 1; \
       done

# hadolint ignore=DL3006
FROM ${BASE} AS package
WORKDIR /build
COPY requirements/ requirements/
RUN for venv in /opt/agent-gate hatch; do python3 -m venv --without-pip "$venv" || exit 1; done \
    && python3 -m pip --python /opt/agent-gate/bin/python install \
         --quiet --no-cache-dir --require-hashes --only-binary :all: -r requirements/runtime.txt \
    && python3 -m pip --python hatch/bin/python install \
         --quiet --no-cache-dir --require-hashes -r requirements/build.txt
COPY pyproject.toml README.md LICENSE CHANGELOG.md ./
COPY schemas/ schemas/
COPY gate/ gate/
RUN hatch/bin/python -m hatchling build --target wheel --directory dist \
    && python3 -m pip --python /opt/agent-gate/bin/python install --quiet --no-deps --no-index dist/*.whl
COPY entrypoint.py post.py /opt/agent-gate/

# hadolint ignore=DL3006
FROM ${BASE}
COPY --from=tools /tools/root/ /
COPY --from=package /opt/agent-gate /opt/agent-gate
# The gate is root here, and a pull request writes the command: one that nobody cannot start is not started as root.
ENV AGENT_GATE_NEVER_ROOT=1
# -I: neither PYTHONPATH nor a sitecustomize, gate or src of the repository under test is ever imported.
ENTRYPOINT ["/usr/bin/tini", "--", "/opt/agent-gate/bin/python", "-I", "-u", "-X", "utf8", "/opt/agent-gate/entrypoint.py"]
