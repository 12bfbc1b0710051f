# key N: one of the probe keyboard's four keys
key() { sh_ input tap $((1080 * ($1 * 2 + 1) / 8)) 2250; }
keyboard_window() { sh_ dumpsys window windows | grep -A4 'u0 InputMethod}' | grep -o 'mAttrs={([^)]*)([^)]*) ty=[0-9]*'; }
keyboard_search() { sh_ dumpsys window windows | grep -o 'ty=2012'; }

check_43_keyboards() {
    [ -n "$(sh_ pm path $PROBE)" ] || { probe "$SCRATCH/probe.apk" "$SCRATCH/key" 2 && a install --no-streaming -r "$SCRATCH/probe.apk" >/dev/null 2>&1; }
    sh_ am force-stop $PROBE
    sh_ am start -W -n $PROBE/.ProbeActivity >/dev/null
    shows "pid="
    equal "no keyboard without a field" mInputShown=false "$(sh_ dumpsys input_method | grep -o 'mInputShown=[a-z]*')"
    tap field
    comes "the built-in keyboard is a window" "mAttrs={(0,1620)(1080x780) ty=2011" keyboard_window
    sh_ input tap 54 1717
    see "whose keys type" 'text="q"'
    "$HERE/device" fault "$NAME" keyboard-search
    comes "it opens a field of its own" ty=2012 keyboard_search
    sh_ input text search
    "$HERE/device" fault "$NAME" clear
    goes "which goes" ty=2012 keyboard_search
    see "and kept what was typed meanwhile" 'text="q"'
    sh_ ime enable $PROBE/.ProbeKeyboard >/dev/null
    sh_ ime set $PROBE/.ProbeKeyboard >/dev/null
    comes "an app's keyboard takes its place" "mAttrs={(0,2100)(1080x300) ty=2011" keyboard_window
    has "dumpsys names it" "mCurId=$PROBE/.ProbeKeyboard" "$(sh_ dumpsys input_method)"
    has "and shows its view" mIsInputViewShown=true "$(sh_ dumpsys input_method)"
    key 0
    see "its keys type" 'text="qÖ"'
    key 1
    see "and erase" 'text="q"'
    key 2
    comes "it hides itself" mInputShown=false sh_ dumpsys input_method
    goes "and its window goes" ty=2011 keyboard_window
    tap field
    comes "and comes again" ty=2011 keyboard_window
    key 3
    comes "it switches to another method" com.android.inputmethod.latin/.LatinIME sh_ settings get secure default_input_method
    comes "which shows" "mAttrs={(0,1620)(1080x780) ty=2011" keyboard_window
    sh_ am force-stop $PROBE
    goes "the keyboard goes with the field" ty=2011 keyboard_window
}
