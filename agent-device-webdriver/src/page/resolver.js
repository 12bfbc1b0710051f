// Act time: finds a captured element again, checks that it is still the same one, and says where a touch would land.
// Also the few acts that keystrokes can't do. The answer format is described in decode.rs.
var HIT = null, NODE = null, FRAMES = null;

// Follows a path of the capture. Leaves the frames on the way in FRAMES, innermost first; a text node in NODE.
function locate(path) {
  var el = getD(doc, 'documentElement'), cur = el, d = doc, i = 0, n = path.length, c, k, word, list, mode = 0, child;
  FRAMES = null; NODE = null;
  // mode 1: children of a shadow root that `cur` holds
  while (i < n && el) {
    c = path[i];
    if (c === '.') { i++; continue }
    if (c === 'S') { i++; cur = shadow(el); if (!cur) return null; mode = 1; continue }
    if (c === 'D') { i++; continue }
    if (c === 'F') {
      for (word = '', i++; i < n && path[i] !== '.'; i++) word += path[i];
      k = frameDoc(el);
      if (k === null || frameToken(k) !== word) return null;
      FRAMES = { el: el, d: d, up: FRAMES };
      d = k; el = getD(d, 'documentElement'); cur = el; mode = 0;
      continue;
    }
    word = c === 'A' || c === 'T' ? c : '';
    if (word !== '') i++;
    for (k = 0; i < n && path[i] >= '0' && path[i] <= '9'; i++) k = k * 10 + +path[i];
    if (i < n && path[i] !== '.' && !(path[i] >= 'A' && path[i] <= 'Z')) return null;
    if (word === 'A' && tagOf(el) === 'slot') {
      list = el.assignedNodes();
      child = list[k];
      if (!child) return null;
      if (typeOf(child) !== 1) { NODE = child; if (i < n) return null; continue }
      el = child; cur = el; mode = 0;
      continue;
    }
    for (child = mode === 1 ? cur.firstChild : get(el, 'firstChild'); child; child = get(child, 'nextSibling')) {
      if (word === 'T' ? typeOf(child) === 3 : typeOf(child) === 1) if (k-- === 0) break;
    }
    if (!child) return null;
    if (word === 'T') { NODE = child; if (i < n) return null; continue }
    el = child; cur = el; mode = 0;
  }
  if (!el || !get(el, 'isConnected')) return null;
  return el;
}

// Role and name exactly as the capture would write them.
var IDROLE = '', IDNAME = '';
function identify(el, node) {
  var tag = tagOf(el), m = bits(el, isForm(el)), role, named = '', nfc, first = get(el, 'firstChild'), only;
  if (node !== null) { IDROLE = 'text'; IDNAME = clean(node.data, 10000, true); return m }
  if (el === getD(doc, 'documentElement')) { IDROLE = 'document'; IDNAME = clean(getD(doc, 'title'), 10000, true); return m }
  role = m & ROLE || TAGS[tag] !== undefined ? roleOf(el, tag, m) : '';
  if (m & CE && (role === '' || role === 'textbox') && editableHost(el, m)) role = 'textbox';
  only = onlyText(el) && LEAF[tag] !== 1 && tag !== 'form' && !(tag === 'slot' && el.assignedNodes().length > 0);
  if (m & (LBY | LABEL | TITLE | PH | APH | ALT) || role !== '') named = nameOf(el, tag, role === '' ? 'generic' : role, m);
  nfc = FROMCONTENT;
  if (only && role !== 'textbox') {
    if (blank(named)) {
      named = '';
      if (!blank(first.data)) { named = clean(first.length > 40000 ? first.substringData(0, 40000) : first.data, 10000, true); if (role === '') role = 'text' }
    } else named = clean(named, 10000, true);
  } else if (named !== '') named = clean(named, nfc ? nameCap(el, role) : 10000, true);
  IDROLE = role === '' ? 'generic' : role;
  IDNAME = named;
  return m;
}

function controlKind(el, tag, m) {
  var t;
  if (tag === 'textarea') return 'text';
  if (tag === 'select') return 'select';
  if (tag === 'input') {
    t = el.type;
    if (TEXTTYPES[t]) return 'text';
    if (t === 'date' || t === 'time' || t === 'month' || t === 'week' || t === 'datetime-local') return 'date';
    if (t === 'color' || t === 'range' || t === 'file' || t === 'checkbox' || t === 'radio') return t;
    return 'none';
  }
  if (get(el, 'isContentEditable') === true) return 'contenteditable';
  return 'none';
}
function isDisabled(el, tag, m) {
  var p, a;
  if (disabled(el, tag, m)) return true;
  for (p = elUp(el); p !== null; p = elUp(p)) if ((a = attr(p, 'aria-disabled')) === 'true') return true;
  return false;
}
function isInert(el, d) {
  var p, l, i, mod = null;
  for (p = el; p !== null; p = elUp(p)) if (attr(p, 'inert') !== null) return true;
  try { l = callD(d, 'querySelectorAll', 'dialog:modal') } catch (e) { return false }
  if (l.length === 0) return false;
  for (i = 0; i < l.length; i++) if (reach(l[i], el) === 0) return false;
  return true;
}
// The visible part of an element in the top viewport, with the frames around it. LOST says what hides it and on which side it lies.
var VX0, VY0, VX1, VY1, LOST, SIDE, OX, OY;
function cut(x0, y0, x1, y1, why) {
  if (LOST === '' && (VX1 <= x0 || VX0 >= x1 || VY1 <= y0 || VY0 >= y1)) {
    LOST = why;
    SIDE = VY1 <= y0 ? 'up' : VY0 >= y1 ? 'down' : VX1 <= x0 ? 'left' : 'right';
  }
  VX0 = max(VX0, x0); VY0 = max(VY0, y0); VX1 = min(VX1, x1); VY1 = min(VY1, y1);
}
function visiblePart(el, node, d) {
  var r, p, cs, pos, f, t, sx, sy, w, rg;
  if (node !== null) { rg = callD(d, 'createRange'); rg.selectNodeContents(node); r = rg.getBoundingClientRect() }
  else r = call(el, 'getBoundingClientRect');
  VX0 = r.left; VY0 = r.top; VX1 = r.right; VY1 = r.bottom; LOST = ''; SIDE = ''; OX = 0; OY = 0;
  f = FRAMES; p = el;
  pos = node !== null ? 'static' : win.getComputedStyle(el).position;
  if (node !== null) p = { last: el };
  for (; ;) {
    for (p = node !== null && p.last ? el : elUp(p); p !== null; p = elUp(p)) {
      node = null;
      t = tagOf(p);
      if (t === 'html' || t === 'body') continue;
      cs = win.getComputedStyle(p);
      if (cs.display === 'contents') continue;
      if (pos === 'fixed' && !holdsFixed(cs)) continue;
      if (pos === 'absolute' && cs.position === 'static' && !holdsFixed(cs)) continue;
      pos = cs.position;
      sx = cs.overflowX; sy = cs.overflowY;
      if (sx !== 'visible' || sy !== 'visible') {
        r = call(p, 'getBoundingClientRect');
        if (sx === 'auto' || sx === 'scroll' || sy === 'auto' || sy === 'scroll')
          cut(r.left + p.clientLeft, r.top + p.clientTop, r.left + p.clientLeft + p.clientWidth, r.top + p.clientTop + p.clientHeight, 'scroll');
        else cut(r.left, r.top, r.right, r.bottom, 'clip');
      }
    }
    if (f === null) { cut(0, 0, win.innerWidth, win.innerHeight, 'viewport'); break }
    w = getD(frameDoc(f.el), 'defaultView');
    cut(0, 0, w.innerWidth, w.innerHeight, 'scroll');
    r = f.el.getBoundingClientRect();
    sx = r.left + insetX(f.el); sy = r.top + insetY(f.el);
    VX0 += sx; VX1 += sx; VY0 += sy; VY1 += sy; OX += sx; OY += sy;
    p = f.el; pos = win.getComputedStyle(p).position; f = f.up;
  }
}
function frameHit(x, y) { // the frames themselves must be free at the point, from the outside in
  var f, ox, oy, b, r, chain = null;
  for (f = FRAMES; f !== null; f = f.up) {
    ox = 0; oy = 0;
    for (chain = f.up; chain !== null; chain = chain.up) { r = chain.el.getBoundingClientRect(); ox += r.left + insetX(chain.el); oy += r.top + insetY(chain.el) }
    b = blockedAt(f.el, f.d, x - ox, y - oy, false);
    if (b) return b;
  }
  return null;
}
function describeEl(h) {
  var id = attr(h, 'id'), e = ESC;
  ESC = true;
  identify(h, null);
  var s = IDROLE + ',' + tagOf(h) + ',' + (id !== null ? clean(id, 100, false) : '') + ',' + clean(IDNAME, 100, true);
  ESC = e;
  return s;
}
function isTouchable(el) {
  var tag = tagOf(el), m = bits(el, isForm(el)), role = roleOf(el, tag, m);
  return role !== '' && (ROLES[role] & 4) !== 0 || (m & CLICK) !== 0 || m & TAB && el.tabIndex >= 0;
}
function valueFacts(el, tag, m, kind, expected) {
  var v = null, sec = false, s = '';
  if (kind === 'text' || kind === 'date' || kind === 'color' || kind === 'range') { v = el.value; sec = secure(el, tag, m, null) }
  else if (kind === 'contenteditable') { v = get(el, 'textContent') }
  else if (kind === 'select') v = selectText(el);
  else if (kind === 'file') v = el.files && el.files.length ? el.files[0].name : '';
  else if (kind === 'checkbox' || kind === 'radio') s += '|h' + (el.indeterminate && kind === 'checkbox' ? 'm' : el.checked ? 'c' : 'u');
  if (typeof v === 'string') {
    s += '|n' + v.length;
    if (typeof expected === 'string') s += '|q' + (same(v, expected, kind) ? 1 : 0);
    ESC = true;
    if (sec) s += '|s1'; else { v = clean(v, 10000, kind === 'contenteditable'); s += '|v' + v + (CUT ? '|t1' : '') }
  }
  return s;
}
function same(v, e, kind) {
  var r, i, c;
  if (v === e) return true;
  ESC = false;
  if (kind === 'contenteditable' || kind === 'select') { r = clean(v, 1000000, true) === clean(e, 1000000, true); ESC = true; return r }
  ESC = true;
  // Fields keep line ends as a single newline.
  for (r = '', i = 0; i < e.length; i++) { c = e[i]; if (c === '\r') { if (e[i + 1] === '\n') continue; c = '\n' } r += c }
  return v === r;
}

function setter(proto) {
  function S(o) { return o }
  S.prototype = proto;
  return class extends S { constructor(o, k, v) { super(o); super[k] = v } };
}
function fire(el, d) {
  var w = getD(d, 'defaultView') || win;
  el.dispatchEvent(new w.Event('input', { __proto__: null, bubbles: true, composed: true }));
  el.dispatchEvent(new w.Event('change', { __proto__: null, bubbles: true }));
}

// op: resolve | read | set | select. a: [token, path, role, name, extra...]; role '' skips the identity check, name null that of the name.
var FOUND = null;
function act(op, a, roots) {
  var el, d, tag, m, kind, s, cs, x, y, b, r, w, h, p, text, node, lost, i, n, list, W, v;
  FOUND = null; lastRow = null; ESC = true; ROOTS = roots || null;
  if (a[0] !== '' && a[0] !== docToken(win)) return 'AR1|stale-document|e' + docToken(win);
  el = locate(a[1]);
  if (el === null) return 'AR1|gone';
  node = NODE;
  d = FRAMES !== null ? frameDoc(FRAMES.el) : doc;
  tag = tagOf(el);
  if (a[2] !== '') {
    ESC = false;
    m = identify(el, node);
    ESC = true;
    if (IDROLE !== a[2] || a[3] !== null && IDNAME !== a[3]) return 'AR1|changed|r' + IDROLE + '|e' + clean(IDNAME, 200, true);
  } else m = bits(el, isForm(el));
  FOUND = el;
  kind = node !== null ? 'none' : controlKind(el, tag, m);
  if (op === 'read') return 'AR1|ok|k' + kind + valueFacts(el, tag, m, kind, a[4]);
  cs = win.getComputedStyle(el);
  s = '|k' + kind + (el === deepActive() ? '|f1' : '');
  if (cs.visibility !== 'visible') return 'AR1|hidden' + s;
  visiblePart(el, node, d);
  if (node !== null) { p = callD(d, 'createRange'); p.selectNodeContents(node); r = p.getBoundingClientRect() } else r = call(el, 'getBoundingClientRect');
  w = r.width; h = r.height;
  s += '|R' + num(r.x + OX) + ',' + num(r.y + OY) + ',' + num(w) + ',' + num(h);
  if (w <= 0 || h <= 0) return 'AR1|zero-size' + s;
  if (op === 'resolve') s += valueFacts(el, tag, m, kind, undefined);
  if (isDisabled(el, tag, m)) return 'AR1|disabled' + s;
  if (isInert(el, d)) return 'AR1|inert' + s;
  if (op === 'set') {
    if (el.readOnly === true) return 'AR1|readonly' + s;
    if (kind !== 'date' && kind !== 'color' && kind !== 'range' && kind !== 'text') return 'AR1|unsupported' + s;
    W = (getD(d, 'defaultView') || win)[tag === 'textarea' ? 'HTMLTextAreaElement' : 'HTMLInputElement'];
    new (setter(W.prototype))(el, 'value', a[4]);
    fire(el, d);
    return 'AR1|' + (same(el.value, a[4], kind) ? 'ok' : 'unverified') + '|k' + kind + valueFacts(el, tag, m, kind, a[4]);
  }
  if (op === 'select') {
    if (tag !== 'select') return 'AR1|unsupported' + s;
    list = el.options; v = -1;
    ESC = false;
    for (i = 0, n = list.length; i < n && v < 0; i++) if (clean(optionText(list[i]), 10000, true) === clean(a[4], 10000, true)) v = i;
    for (i = 0; i < n && v < 0; i++) if (list[i].value === a[4]) v = i;
    ESC = true;
    if (v < 0) {
      for (i = 0, p = ''; i < n && i < 20; i++) p += (i ? ',' : '') + clean(optionText(list[i]), 60, true);
      return 'AR1|no-option|o' + p;
    }
    if (list[v].matches(':disabled')) return 'AR1|disabled' + s;
    W = getD(d, 'defaultView') || win;
    if (el.multiple) new (setter(W.HTMLOptionElement.prototype))(list[v], 'selected', true);
    else new (setter(W.HTMLSelectElement.prototype))(el, 'selectedIndex', v);
    fire(el, d);
    return 'AR1|' + (list[v].selected ? 'ok' : 'unverified') + '|kselect' + valueFacts(el, tag, m, 'select', undefined);
  }
  if (LOST !== '') return 'AR1|offscreen|d' + SIDE + '|w' + LOST + s;
  if (VX1 - VX0 <= 0 || VY1 - VY0 <= 0) return 'AR1|offscreen|ddown|wclip' + s;
  s += '|V' + num(VX0) + ',' + num(VY0) + ',' + num(VX1 - VX0) + ',' + num(VY1 - VY0);
  text = node !== null || !isTouchable(el) && kind === 'none' && !hasChild(el);
  if (typeof a[4] === 'number' && typeof a[5] === 'number') { HITX = a[4] - OX; HITY = a[5] - OY; b = blockedAt(el, d, HITX, HITY, text) }
  else b = blocked(el, d, VX0 - OX, VY0 - OY, VX1 - OX, VY1 - OY, text);
  if (b === undefined) return 'AR1|offscreen|ddown|wpoint' + s;
  x = HITX + OX; y = HITY + OY;
  if (b === null) {
    b = frameHit(x, y);
    h = topAt(d, HITX, HITY);
    for (p = h; p !== null && p !== el; p = elUp(p)) if (isTouchable(p)) { s += '|b' + describeEl(p); break }
  }
  if (b) return 'AR1|covered|c' + describeEl(b) + '|x' + num((VX0 + VX1) / 2) + '|y' + num((VY0 + VY1) / 2) + s;
  return 'AR1|ok|x' + num(x) + '|y' + num(y) + s;
}
// Whether a driver can be handed the element: chromedriver climbs by plain `parentNode` and never returns (nor obeys its script
// timeout) for elements in a form that has a field of that name.
function referable(el) {
  for (var p = el, q; p; p = q) {
    q = get(p, 'parentNode');
    if (isForm(p) && p.parentNode !== q) return false;
    if (q && q.localName === undefined && q.nodeType === 11) q = q.host;
  }
  return true;
}
// The found element for the driver, if it can hold it: a reference into another document is refused as stale.
function handOver() {
  var e = FOUND;
  if (e !== null && (FRAMES !== null || !referable(e))) e = null;
  FOUND = FRAMES = NODE = ROOTS = V = lastRow = null;
  return e;
}
function hasChild(el) { for (var c = get(el, 'firstChild'); c; c = get(c, 'nextSibling')) if (typeOf(c) === 1) return true; return false }
