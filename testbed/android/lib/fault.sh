# Odd states of a device: sourced by ../device. Those of adbd are set here, the others in the framework process.

# Whether port 5555 (15B3) of the device takes connections.
listening() { grep -q ":15B3 0*:0000 0A" "/proc/$(cat "$1/init")/net/tcp" "/proc/$(cat "$1/init")/net/tcp6" 2>/dev/null; }

adbd_is() { # name normal | down | offline | unauthorized | no-shell-v2 | kill
    local run=$CACHE/run/$1 mode=$2 before after
    case $mode in
        kill) ;;
        normal | down | offline | unauthorized | no-shell-v2) echo "$mode" >"$run/share/adbd-mode" ;;
        *) die "adbd can be: normal down offline unauthorized no-shell-v2 kill" ;;
    esac
    before=$(cat "$run/share/adbd-pid")
    # It may be gone already, and on its way back.
    nsenter --target "$(cat "$run/init")" --pid --mount kill -KILL "$before" 2>/dev/null || true
    # Back at once from a kill, which is to hit commands on the way; else when the new state stands.
    [ "$mode" = kill ] && return
    for _ in $(seq 100); do
        after=$(cat "$run/share/adbd-pid")
        [ "$after" != "$before" ] && { [ "$mode" = down ] || listening "$run"; } && return
        sleep 0.05
    done
    die "adbd did not come back"
}

fault() { # name fault arguments
    local name=$1
    shift
    alive "$name" || die "$name is not up"
    case ${1:-} in
        adbd) adbd_is "$name" "${2:-}" ;;
        *) inside "$name" /opt/device/fault "$@" ;;
    esac
}

# As after a start: the framework undoes what was done to it; every process but its own ends, and every file that was left.
reset() { # name
    alive "$1" || die "$1 is not up"
    (inside "$1" /opt/device/reset)
    (inside "$1" /bin/sh -c '
        for each in /proc/[0-9]*; do
            case ${each#/proc/} in 1 | '"$(cat "$CACHE/run/$1/share/framework-pid")"' | $$) ;; *) kill -KILL "${each#/proc/}" 2>/dev/null ;; esac
        done
        rm -rf /data/local /storage/emulated/0/* /data/data/*
        mkdir -m 777 -p /data/local/tmp')
    adbd_is "$1" normal
}
