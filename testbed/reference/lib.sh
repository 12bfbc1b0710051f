# Sourced by the scripts of this folder: a device of the testbed, a private adb server, and the reference's released package.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PROJECT=$(cd "$HERE/../.." && pwd)
CACHE=${AGENT_DEVICE_CACHE:-/var/cache/agent-device}/reference
REFERENCE=agent-device@0.21.5
REFERENCE_ID=com.callstack.agentdevice.snapshothelper
NODE_PACKAGE=node@24
# The package asks for this much at least.
NODE_SINCE=22.12.0
FIXTURE=dev.agentdevice.fixture

SCRATCH=$(mktemp -d)
NAME=
ADB_PORT=
cleanups=()
finish() {
    local status=$? each
    trap - EXIT
    for ((each = ${#cleanups[@]} - 1; each >= 0; each--)); do (${cleanups[each]}) >/dev/null 2>&1 || true; done
    rm -rf "$SCRATCH"
    exit "$status"
}
trap finish EXIT
trap 'exit 1' INT TERM

die() { echo "reference: $*" >&2; exit 1; }
proven() { echo "  proven  $*"; }
# What is needed can't be had: EX_UNAVAILABLE of sysexits.h, so that callers can tell it from a failed test.
unavailable() { echo "reference: $*" >&2; exit 69; }
needs() { command -v "$1" >/dev/null || unavailable "$1 is missing; install: $2"; }

# unpacked: prints where the released package lies
unpacked() {
    local folder=$CACHE/${REFERENCE/@/-}
    if [ ! -e "$folder/package/package.json" ]; then
        needs npm npm
        mkdir -p "$folder"
        (cd "$folder" && npm pack --silent "$REFERENCE" >/dev/null && tar xzf ./*.tgz) >&2 || unavailable "$REFERENCE can't be fetched"
    fi
    echo "$folder/package"
}

# node: prints a Node.js that is new enough
node_program() {
    local program version
    for program in "$(command -v node || true)" "$CACHE/node/node_modules/.bin/node"; do
        [ -x "$program" ] || continue
        version=$("$program" --version)
        [ "$(printf '%s\n' "$NODE_SINCE" "${version#v}" | sort -V | head -n 1)" = "$NODE_SINCE" ] && echo "$program" && return
    done
    needs npm npm
    npm install --silent --no-audit --no-fund --prefix "$CACHE/node" "$NODE_PACKAGE" >&2 || unavailable "$NODE_PACKAGE can't be fetched"
    echo "$CACHE/node/node_modules/.bin/node"
}

# device_up [options of device up]: sets SERIAL
device_up() {
    needs adb adb
    NAME=reference-$$
    "$PROJECT/testbed/android/device" up --name "$NAME" --serial-file "$SCRATCH/serial" "$@" >"$SCRATCH/up" || die "no device"
    cleanups+=("$PROJECT/testbed/android/device down --name $NAME")
    SERIAL=$(cat "$SCRATCH/serial")
    ADB_PORT=$(free_port)
    # What follows may start the server too, and must find this one.
    export ANDROID_ADB_SERVER_PORT=$ADB_PORT
    cleanups+=("adb kill-server")
    adb connect "$SERIAL" >"$SCRATCH/connect"
    grep -q connected "$SCRATCH/connect" || die "adb: $(cat "$SCRATCH/connect")"
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
a() { adb -s "$SERIAL" "$@"; }
sh_() { a shell "$@" </dev/null; }
# The testbed's adbd can't install while streaming, as on Androids before 11.
install() { a install --no-streaming -r "$1" >"$SCRATCH/install" 2>&1 || die "$(cat "$SCRATCH/install")"; }

# ask PORT LINE: one exchange with a session
ask() {
    exec {peer}<>"/dev/tcp/127.0.0.1/$1"
    printf '%s\n' "$2" >&"$peer"
    cat <&"$peer"
    exec {peer}>&-
}

# show LINK: puts the fixture app, which is in front, on this screen with an empty log; sets LOG, the local port of the log
show() {
    LOG=${LOG:-$(a forward tcp:0 tcp:47391)}
    ask "$LOG" "reset r $1" >"$SCRATCH/reset"
    # A large screen may take longer than one command waits for the main thread; "events" waits for it too.
    for _ in $(seq 10); do
        ! grep -q 'main thread is busy' "$SCRATCH/reset" || ask "$LOG" "events e" >"$SCRATCH/reset"
    done
    grep -q '^ok=true' "$SCRATCH/reset" || die "the fixture app: $(cat "$SCRATCH/reset")"
    [[ $(ask "$LOG" "state s") == *"screen=${1%%\?*}"* ]] || die "the fixture app did not go to $1"
}

# events: what the fixture app saw since then, as JSON
events() { ask "$LOG" "events e" | sed '1,/^$/d'; }
# holds FILE EXPRESSION: whether the JavaScript expression of d, the file's JSON, is true
holds() { "$NODE" -e 'const d = JSON.parse(require("fs").readFileSync(process.argv[1])); process.exit(eval(process.argv[2]) ? 0 : 1)' "$1" "$2"; }
