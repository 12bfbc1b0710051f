fault() { "$HERE/device" fault "$NAME" "$@"; }
becomes() { for _ in $(seq 100); do $ADB -P $PORT devices | grep -q "$SERIAL	$1\$" && return 0; sleep 0.1; done; return 1; }
reconnect() { $ADB -P $PORT disconnect "$SERIAL" >/dev/null 2>&1; timeout 15 $ADB -P $PORT connect "$SERIAL" 2>&1; }

check_20_adbd() {
    local began
    (a shell 'sleep 20' </dev/null >"$SCRATCH/killed" 2>&1; echo "rc=$?" >>"$SCRATCH/killed") &
    local waiting=$!
    sleep 0.5
    began=$(date +%s)
    fault adbd kill
    wait $waiting
    [ $(($(date +%s) - began)) -lt 10 ] && ok "a command ends when adbd is killed under it" || bad "a command ends when adbd is killed under it"
    becomes device && ok "adbd is back by itself" || bad "adbd is back by itself"
    fault adbd offline
    becomes offline && ok "offline" || bad "offline" "$($ADB -P $PORT devices)"
    equal "is refused by the host" "error: device offline" "$(timeout 5 $ADB -P $PORT -s "$SERIAL" shell true 2>&1 | sed 's/^adb: /error: /' | head -1)"
    fault adbd unauthorized
    reconnect >/dev/null
    becomes unauthorized && ok "unauthorized" || bad "unauthorized" "$($ADB -P $PORT devices)"
    has "is refused by the host" "device unauthorized." "$(timeout 5 $ADB -P $PORT -s "$SERIAL" shell true 2>&1)"
    fault adbd no-shell-v2
    reconnect >/dev/null
    becomes device
    lacks "without shell v2" shell_v2 "$(a features)"
    sh_ 'exit 5'; equal "exit codes are lost" 0 $?
    fault adbd down
    sleep 0.3
    reconnect >/dev/null
    has "down: unknown to the host" "not found" "$(timeout 5 $ADB -P $PORT -s "$SERIAL" shell true 2>&1)"
    fault adbd normal
    sleep 0.5
    has "and normal again" connected "$(reconnect)"
    becomes device
}

check_21_commands() {
    local began
    fault slow 1000 getprop
    began=$(date +%s%N)
    sh_ getprop ro.build.version.sdk >/dev/null
    [ $((($(date +%s%N) - began) / 1000000)) -ge 1000 ] && ok "a slow command" || bad "a slow command"
    fault hang getprop
    timeout 2 $ADB -P $PORT -s "$SERIAL" shell getprop </dev/null; equal "a hanging command" 124 $?
    fault clear
    fault die-after settings
    sh_ settings put system probe 7 2>/dev/null; equal "a command dies after it acted" 137 $?
    equal "it had acted" 7 "$(sh_ settings get system probe)"
    fault die-before settings
    sh_ settings put system probe 8 2>/dev/null
    equal "a command dies before it acted" 7 "$(sh_ settings get system probe)"
    fault refuse-installs INSTALL_FAILED_USER_RESTRICTED
    has "installs refused" "Failure [INSTALL_FAILED_USER_RESTRICTED" "$(a install --no-streaming -r "$HELPER_APK" 2>&1)"
    fault refuse-installs INSTALL_FAILED_INSUFFICIENT_STORAGE
    has "for any reason" "INSTALL_FAILED_INSUFFICIENT_STORAGE" "$(a install --no-streaming -r "$HELPER_APK" 2>&1)"
    fault no-clipboard
    has "no clipboard" "No shell command implementation" "$(sh_ cmd clipboard get text 2>&1)"
    fault clear
    has "all cleared" Success "$(a install --no-streaming -r "$HELPER_APK" 2>&1)"
}

check_22_automation() {
    fault ui-owner io.appium.uiautomator2.server
    has "the slot is taken" "already registered!" "$(sh_ am instrument -w -e timeoutMs 1000 $RUNNER 2>&1)"
    has "the owner can be seen" io.appium.uiautomator2.server "$(sh_ ps -A)"
    sh_ uiautomator dump >/dev/null 2>&1; equal "the stock dump is killed by it" 137 $?
    fault clear
    has "and free again" "INSTRUMENTATION_RESULT: ok=true" "$(sh_ am instrument -w $RUNNER)"
    start_session
    python3 - "$LOCAL" >"$SCRATCH/reset" 2>&1 <<'PY' &
import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 20)
s.settimeout(10)
try:
    print("closed" if s.recv(1) == b"" else "data")
except OSError as e:
    print("closed", e)
PY
    local reader=$!
    sleep 1
    fault reset-sockets $HELPER
    wait $reader
    has "the session's connection is reset" closed "$(cat "$SCRATCH/reset")"
    sh_ am force-stop $HELPER
    wait $SESSION
    a forward --remove tcp:"$LOCAL"
}

check_23_apps() {
    sh_ am start -W -n $APP/.view.Controls1 >/dev/null
    fault anr $APP
    comes "an ANR has the focus" "Application Not Responding: $APP" focus
    see "and a dialog" "isn't responding"
    [ "$API" -ge 24 ] && tap android:id/aerr_wait || tap android:id/button2
    comes "waiting closes it" "view.Controls1" focus
    fault crash $APP
    comes "a crash shows a dialog" "Application Error: $APP" focus
    equal "and ends the process" "" "$(sh_ pidof $APP)"
    has "and a trace in the log" "FATAL EXCEPTION: main" "$(sh_ logcat -d -s AndroidRuntime:E)"
    [ "$API" -ge 24 ] && tap android:id/aerr_close || tap android:id/button1
    goes "closing it goes" "Application Error" focus
    has "the app starts again" "LaunchState: COLD" "$(sh_ am start -W -n $APP/.view.Controls1)"
}
