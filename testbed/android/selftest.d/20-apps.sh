APP=io.appium.android.apis
FIELD="$APP:id/edit"

dump() { sh_ uiautomator dump /data/local/tmp/window.xml >/dev/null 2>&1; sh_ cat /data/local/tmp/window.xml >"$SCRATCH/window.xml"; }
# centre TEXT-OR-ID: of the first node that carries it
centre() { python3 - "$SCRATCH/window.xml" "$1" <<'PY'
import re, sys, xml.etree.ElementTree as tree
for node in tree.parse(sys.argv[1]).iter("node"):
    if sys.argv[2].lower() in (node.get("text").lower(), node.get("content-desc").lower(), node.get("resource-id").lower()):
        l, t, r, b = map(int, re.findall(r"-?\d+", node.get("bounds")))
        print((l + r) // 2, (t + b) // 2)
        break
PY
}
attribute() { python3 - "$SCRATCH/window.xml" "$1" "$2" <<'PY'
import sys, xml.etree.ElementTree as tree
for node in tree.parse(sys.argv[1]).iter("node"):
    if sys.argv[2].lower() in (node.get("text").lower(), node.get("resource-id").lower()):
        print(node.get(sys.argv[3]))
        break
PY
}
tap() { dump; local at; at=$(centre "$1"); [ -n "$at" ] && sh_ input tap $at || bad "a node to tap: $1" "$(cut -c1-2000 "$SCRATCH/window.xml")"; }
# screen: what is on it, in one piece
screen() { dump; cat "$SCRATCH/window.xml"; }
# shows TEXT: waits until it is on the screen, for at most 10 s
shows() { for _ in $(seq 20); do dump; grep -qiF "$1" "$SCRATCH/window.xml" && return 0; sleep 0.2; done; return 1; }
see() { shows "$2" && ok "$1" || bad "$1" "wanted on screen: $2
got: $(grep -o ' text="[^"]*"' "$SCRATCH/window.xml" | tr '\n' ' ')"; }
open_() { has "opens $1" "Status: ok" "$(sh_ am start -W -n "$APP/$1")"; }
focus() { sh_ dumpsys window | grep mCurrentFocus; }

check_05_app() {
    fetch android-apidemos@5.0.0 apks/ApiDemos-debug.apk
    has "a foreign APK installs" Success "$(a install --no-streaming -r "$SCRATCH/ApiDemos-debug.apk" 2>&1)"
    has "pm list packages -3" "package:$APP" "$(sh_ pm list packages -3)"
    equal "the launcher activity is resolved" "$APP/.ApiDemos" "$(sh_ cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.LAUNCHER $APP | tail -1)"
    local out
    out=$(sh_ am start -W -a android.intent.action.MAIN -c android.intent.category.LAUNCHER -p $APP)
    has "am start -W" "Status: ok" "$out"
    has "cold" "LaunchState: COLD" "$out"
    has "it has the focus" "u0 $APP/$APP.ApiDemos}" "$(focus)"
    has "the resumed activity" "ResumedActivity: ActivityRecord{" "$(sh_ dumpsys activity activities)"
    [ "$(sh_ pidof $APP)" -gt 1 ] && ok "it has a process" || bad "it has a process"
    see "its rows are on the screen" Views
    has "an absent activity" "does not exist" "$(sh_ am start -n $APP/.Nowhere 2>&1)"
    has "an intent for nobody" "unable to resolve Intent" "$(sh_ am start -a android.intent.action.VIEW -d nobody://x 2>&1)"
}

check_06_touch() {
    sh_ am force-stop $APP
    has "the launcher's intent" "Status: ok" "$(sh_ am start -W -a android.intent.action.MAIN -c android.intent.category.LAUNCHER -n $APP/.ApiDemos)"
    tap Views
    see "a tap opens the next screen" Controls
    tap Controls
    shows "1. Light Theme"
    tap "1. Light Theme"
    shows "Checkbox 1"
    tap "Checkbox 1"
    dump
    equal "a tap checks a box" true "$(attribute "Checkbox 1" checked)"
    sh_ input keyevent BACK
    see "BACK returns" "2. Dark Theme"
    sh_ input keyevent 3
    comes "HOME leaves" "com.android.launcher3" focus
    has "coming back keeps the task" "brought to the front" "$(sh_ am start -W -a android.intent.action.MAIN -c android.intent.category.LAUNCHER -n $APP/.ApiDemos 2>&1)"

    open_ .view.List1
    shows Abertam
    sh_ input swipe 500 2000 500 700 300
    goes "a swipe scrolls a list" '"Abertam"' screen
    open_ .view.ScrollView2
    shows "Button 1"
    sh_ input swipe 500 2000 500 700 300
    goes "a swipe scrolls a ScrollView" "Button 1\"" screen

    open_ .app.AlertDialogSamples
    shows "List dialog"
    tap "List dialog"
    see "a dialog is a window" "Command two"
    equal "it lies on the activity" 2 "$(sh_ dumpsys window windows | grep -c "Window #.*$APP")"
    tap "Command two"
    see "its answer opens the next" "You selected"
    sh_ input keyevent 4
    sleep 0.4
    open_ .app.ReceiveResult
    shows "Get Result"
    tap "Get Result"
    shows Corky
    tap Corky
    see "a result comes back" "Corky!"
    open_ .view.Tabs1
    shows tab3
    tap tab3
    see "tabs switch" '"tab3"'
}

check_07_text() {
    sh_ am force-stop $APP
    open_ .view.Controls1
    shows "$FIELD"
    tap "$FIELD"
    comes "the keyboard shows" mInputShown=true sh_ dumpsys input_method
    has "with the field's type" "inputType=0x80001" "$(sh_ dumpsys input_method)"
    sh_ 'input text '\''Az09%s!"#$&()*+,-./:;<=>?@[\]^_`{|}~'\'
    dump
    equal "input text types every ASCII character" 'Az09 !"#$&()*+,-./:;<=>?@[\]^_`{|}~' "$(attribute "$FIELD" text)"
    has "and fails beyond ASCII like the tool" "Attempt to get length of null array" "$(sh_ input text ü 2>&1)"
    sh_ 'input keyevent KEYCODE_MOVE_END; input keyevent 67 67 67'
    dump
    equal "keys delete" 'Az09 !"#$&()*+,-./:;<=>?@[\]^_`{' "$(attribute "$FIELD" text)"
    sh_ input keyevent 111
    comes "ESC hides the keyboard" mInputShown=false sh_ dumpsys input_method
    has "and stays on the screen" "view.Controls1" "$(focus)"

    fetch agent-device@0.21.5 android/ime-helper/dist/agent-device-android-ime-helper-0.21.5.apk
    a install --no-streaming -r "$SCRATCH/agent-device-android-ime-helper-0.21.5.apk" >/dev/null 2>&1
    local ime=com.callstack.agentdevice.imehelper
    has "an unknown input method" "cannot be selected" "$(sh_ ime set com.example/.Ime 2>&1)"
    has "an APK's input method is enabled" "now enabled" "$(sh_ ime enable $ime/.TestInputMethodService)"
    has "and set" selected "$(sh_ ime set $ime/.TestInputMethodService)"
    equal "which the settings say" "$ime/.TestInputMethodService" "$(sh_ settings get secure default_input_method)"
    tap "$FIELD"
    comes "it shows in its turn" mInputShown=true sh_ dumpsys input_method
    sh_ am broadcast -p $ime -a $ime.ACTION_CLEAR_TEXT >/dev/null
    has "it is told by broadcast" "Broadcast completed: result=0" \
        "$(sh_ am broadcast -p $ime -a $ime.ACTION_INPUT_TEXT_B64 --es text "$(printf 'Grüße 日本 😀' | base64)")"
    dump
    equal "and commits any text" 'Grüße 日本 😀' "$(attribute "$FIELD" text)"
    sh_ ime set com.android.inputmethod.latin/.LatinIME >/dev/null
}

check_08_screen() {
    equal "wm size" "Physical size: 1080x2400" "$(sh_ wm size)"
    equal "wm density" "Physical density: 480" "$(sh_ wm density)"
    if [ "$API" -lt 26 ]; then
        has "no pixels on this level" "Capturing failed" "$(sh_ screencap -p 2>&1)"
    else
        a exec-out screencap -p </dev/null >"$SCRATCH/screen.png"
        has "screencap is a PNG" "PNG image data, 1080 x 2400" "$(file "$SCRATCH/screen.png")"
        [ "$(stat -c %s "$SCRATCH/screen.png")" -gt 20000 ] && ok "with something on it" || bad "with something on it" "$(stat -c %s "$SCRATCH/screen.png") bytes"
    fi
    sh_ 'settings put system accelerometer_rotation 0; settings put system user_rotation 1'
    has "user_rotation turns the display" mCurrentOrientation=1 "$(sh_ dumpsys display)"
    comes "and lays the activity out anew" 'bounds="[0,0][2400,1080]"' screen
    sh_ settings put system user_rotation 0
    equal "settings keep values" "a b" "$(sh_ 'settings put global probe "a b"; settings get global probe')"
    equal "an absent setting" null "$(sh_ settings get secure nosuch)"
    equal "clipboard" "copied text" "$(sh_ 'cmd clipboard set text "copied text"; cmd clipboard get text')"
    has "logcat has the activity manager's lines" "Start proc" "$(sh_ logcat -d -v time -s ActivityManager)"
    has "monkey starts an app" "Events injected: 1" "$(sh_ monkey -p $APP -c android.intent.category.LAUNCHER 1)"
    equal "pm clear" Success "$(sh_ pm clear $APP)"
    equal "which ends the app" "" "$(sh_ pidof $APP)"
}

check_09_helper_on_an_app() {
    open_ .view.Controls1
    shows "$FIELD"
    start_session
    local xml
    xml=$(request "$LOCAL" 'snapshot s' | tr '\0' ' ')
    has "the helper sees the app" 'text="Checkbox 2"' "$xml"
    has "ids of its resources" "resource-id=\"$FIELD\"" "$xml"
    local plan
    plan=$(python3 - "$xml" <<'PY'
import base64, json, re, sys
bounds = re.search(r'text="Checkbox 2"[^>]*bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]', sys.argv[1])
l, t, r, b = map(int, bounds.groups())
x, y = l + 40, (t + b) // 2
plan = {"protocol": "android-touch-plan-v1", "kind": "swipe", "durationMs": 80,
        "pointers": [{"pointerId": 0, "samples": [{"offsetMs": 0, "x": x, "y": y}, {"offsetMs": 80, "x": x, "y": y}]}]}
print(base64.b64encode(json.dumps(plan).encode()).decode())
PY
)
    has "its gesture is injected" "injectedEvents=3" "$(request "$LOCAL" "gesture g $plan")"
    request "$LOCAL" 'quit q' >/dev/null
    wait $SESSION
    a forward --remove tcp:"$LOCAL"
    dump
    equal "and reaches the view" true "$(attribute "Checkbox 2" checked)"
}
