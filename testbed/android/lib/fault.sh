# Odd states of a device: sourced by ../device. Those of adbd are set here, the others in the framework process.

# Whether port 5555 (15B3) of the device takes connections.
listening() { grep -q ":15B3 0*:0000 0A" "/proc/$(cat "$1/init")/net/tcp" "/proc/$(cat "$1/init")/net/tcp6" 2>/dev/null; }

fault() { # name fault arguments
    local name=$1 run=$CACHE/run/$1
    shift
    alive "$name" || die "$name is not up"
    case ${1:-} in
        adbd) # normal | down | offline | unauthorized | no-shell-v2 | kill
            case ${2:-} in
                kill) ;;
                normal | down | offline | unauthorized | no-shell-v2) echo "$2" >"$run/share/adbd-mode" ;;
                *) die "adbd can be: normal down offline unauthorized no-shell-v2 kill" ;;
            esac
            local before after
            before=$(cat "$run/share/adbd-pid")
            nsenter --target "$(cat "$run/init")" --pid --mount kill -KILL "$before"
            # Back at once from a kill, which is to hit commands on the way; else when the new state stands.
            [ "$2" = kill ] && return
            for _ in $(seq 100); do
                after=$(cat "$run/share/adbd-pid")
                [ "$after" != "$before" ] && { [ "$2" = down ] || listening "$run"; } && return
                sleep 0.05
            done
            die "adbd did not come back" ;;
        *) inside "$name" /opt/device/fault "$@" ;;
    esac
}
