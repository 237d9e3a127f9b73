#!/bin/sh
# The steps of on-runner/action.yml: `prepare` makes a folder with the gate in it, `gate` runs it, `tidy` removes both.
# POSIX sh, as a job's container may have no other shell. Nothing here changes PATH or a variable that the agent sees.
set -eu

root=$(dirname "$0")/..
root=$(cd "$root" && pwd -P)
image=${AGENT_GATE_REGISTRY:+${AGENT_GATE_REGISTRY%/}/}${AGENT_GATE_IMAGE:-}
case ${DOCKER_HOST:-} in
  unix://*) socket=${DOCKER_HOST#unix://} ;;
  *) socket=/var/run/docker.sock ;;
esac

# The run's page shows the whole text, line breaks included.
failed() {
  printf '::error title=Agent Gate::%s\n' "$(printf '%s' "$1" | awk '{ gsub(/%/, "%25"); printf "%s%s", (NR > 1 ? "%0A" : ""), $0 }')"
  exit 1
}

prepare() {
  folder=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/agent-gate.XXXXXX")
  echo "folder=$folder" >> "$GITHUB_OUTPUT"
  : > "$folder/state"
  mkdir "$folder/tmp"
  chmod 711 "$folder" # where the runner is root, the agent is nobody
  if [ "${AGENT_GATE_IMAGE:-}" ]; then fetch_image; else install_gate; fi
}

fetch_image() {
  case $image in -*) failed "The input \`image\` names no image: $image" ;; esac
  case $GITHUB_WORKSPACE in
    /__w/*) failed 'The input `image` does not work in a job with `container:`: leave it out, and the gate runs in that container.' ;;
  esac
  command -v docker > /dev/null || failed 'The input `image` needs Docker, and there is no `docker` on PATH: leave it out, and the gate runs on Python.'
  docker image inspect "$image" > /dev/null 2>&1 && return
  for wait in 2 8 0; do
    docker pull --quiet "$image" && return
    sleep "$wait"
  done
  failed "The image $image could not be pulled (Docker's message is above).
Log in before this step (docker/login-action), name a mirror (the input \`registry\`), or leave \`image\` out."
}

install_gate() {
  python=$(newest_enough) || failed "No Python 3.11 or newer with venv and pip was found on PATH or among the runner's tools. Paste before this step:
- uses: actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97  # v7.0.0
  with: {python-version: \"3.13\", update-environment: false}  # the agent's own Python stays as it is"
  "$python" -I -S -m venv "$folder/venv"
  own=$folder/venv/bin/python
  # What would make pip install somewhere else; where it downloads from (PIP_INDEX_URL) is the runner's to say.
  (
    unset PIP_TARGET PIP_PREFIX PIP_ROOT PIP_USER PIP_CONSTRAINT
    "$own" -I -m pip --quiet --disable-pip-version-check --no-input install \
      --require-hashes --only-binary :all: -r "$root/requirements/runtime.txt"
  ) ||
    failed 'The gate could not be installed (pip says above why).
Where PyPI is out of reach, set PIP_INDEX_URL to a mirror, or give the input `image`.'
  # The gate is imported from where the runner has put this action: nothing needs to be built.
  echo "$root" > "$("$own" -I -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/agent-gate.pth"
  echo "Agent Gate runs on $("$own" -I -c 'import platform; print("Python", platform.python_version())') ($python)."
}

# The agent's Python may be an old one: those that PATH hides, and those of the tool cache, count too. A relative place
# is the repository's.
newest_enough() {
  (
    set -f
    IFS=:
    for place in $PATH; do
      case $place in /*) ;; *) continue ;; esac
      for name in python3 python python3.14 python3.13 python3.12 python3.11; do echo "$place/$name"; done
    done
    unset IFS
    set +f
    for path in "${RUNNER_TOOL_CACHE:-/opt/hostedtoolcache}"/Python/3.*/*/bin/python3; do echo "$path"; done
  ) | while IFS= read -r path; do
    [ -x "$path" ] || continue
    "$path" -I -S -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2> /dev/null < /dev/null || continue
    echo "$path"
    break
  done | grep .
}

gate() {
  [ -z "${AGENT_GATE_IMAGE:-}" ] || in_image
  export GITHUB_STATE="$AGENT_GATE_FOLDER/state" TMPDIR="$AGENT_GATE_FOLDER/tmp"
  exec "$AGENT_GATE_FOLDER/venv/bin/python" -I -u -X utf8 "$root/entrypoint.py"
}

# As the runner starts a Docker action: its mounts and its variables, but only our own folder of its temporary ones.
in_image() {
  set -- --rm --cidfile "$AGENT_GATE_FOLDER/container" --workdir /github/workspace --tmpfs /github/home \
    -v "$GITHUB_WORKSPACE:/github/workspace" -v "$AGENT_GATE_FOLDER:/github/runner_temp"
  [ ! -S "$socket" ] || set -- "$@" -v "$socket:/var/run/docker.sock"
  for name in $(awk 'BEGIN { for (name in ENVIRON) print name }'); do
    case $name in
      *[!A-Za-z0-9_]* | _ | PATH | HOME | HOSTNAME | PWD | OLDPWD | SHLVL | TMP | TEMP | TMPDIR) ;;
      LD_* | XDG_* | PYTHON* | DOCKER_* | AGENT_GATE_*) ;;
      GITHUB_WORKSPACE | GITHUB_OUTPUT | GITHUB_STEP_SUMMARY | GITHUB_STATE | GITHUB_EVENT_PATH | RUNNER_TEMP) ;;
      *) set -- "$@" -e "$name" ;;
    esac
  done
  for name in GITHUB_OUTPUT GITHUB_STEP_SUMMARY GITHUB_EVENT_PATH; do
    eval "path=\${$name:-}"
    [ ! -f "$path" ] || set -- "$@" -v "$path:/github/$name" -e "$name=/github/$name"
  done
  exec docker run "$@" -e HOME=/github/home -e GITHUB_WORKSPACE=/github/workspace -e RUNNER_TEMP=/github/runner_temp \
    -e GITHUB_STATE=/github/runner_temp/state "$image"
}

# Of a gate that was killed: an agent has its home in our folder.
stop_agents() {
  for environ in /proc/[0-9]*/environ; do
    grep -qsF "HOME=$AGENT_GATE_FOLDER/" "$environ" || continue
    process=${environ#/proc/}
    kill -KILL "${process%/environ}" 2> /dev/null || :
  done
}

tidy() {
  [ "${AGENT_GATE_FOLDER:-}" ] || return 0
  [ ! -s "$AGENT_GATE_FOLDER/container" ] || docker rm --force "$(cat "$AGENT_GATE_FOLDER/container")" > /dev/null 2>&1 || :
  stop_agents
  STATE_boot=$(sed -n 2p "$AGENT_GATE_FOLDER/state")
  export STATE_boot
  if [ -z "$STATE_boot" ]; then
    :
  elif [ -z "${AGENT_GATE_IMAGE:-}" ]; then
    "$AGENT_GATE_FOLDER/venv/bin/python" -I -u "$root/post.py"
  elif [ -S "$socket" ]; then
    docker run --rm -v "$socket:/var/run/docker.sock" -e STATE_boot --entrypoint /opt/agent-gate/post.py "$image"
  fi
  rm -rf "$AGENT_GATE_FOLDER"
}

"$1"
