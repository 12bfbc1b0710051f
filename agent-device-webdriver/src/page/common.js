// Shared half of the page scripts: safe DOM reads, roles, names, values, clipping and hit tests.
// The page may have replaced any built-in method, so this file calls no method of Array, String, Map, Object or JSON
// (String.prototype.slice is used only after a self-test, with a loop as the other way). Lookups are null-prototype
// literals, lists are linked objects or integer keys. A form whose fields are named like DOM properties hides those
// properties, and a document does the same with named images: both are read through `super`, which starts the lookup
// at the given prototype, keeps the element as receiver and can't be intercepted.
var win = window, doc = document, V;

function Self(o) { return o }
function SelfD(o) { return o }
Self.prototype = win.Element.prototype;
SelfD.prototype = win.Document.prototype;
class Get extends Self { constructor(o, k) { super(o); V = super[k] } }
class Call extends Self { constructor(o, k, a) { super(o); V = super[k](a) } }
class GetD extends SelfD { constructor(o, k) { super(o); V = super[k] } }
class CallD extends SelfD { constructor(o, k, a, b) { super(o); V = super[k](a, b) } }
function isForm(el) { var t = el.localName; return t === 'form' || typeof t !== 'string' }
function get(el, k) { if (!isForm(el)) return el[k]; new Get(el, k); return V }
function call(el, k, a) { if (!isForm(el)) return el[k](a); new Call(el, k, a); return V }
function getD(d, k) { new GetD(d, k); return V }
function callD(d, k, a, b) { new CallD(d, k, a, b); return V }
// Node kinds without `nodeType`, which a form can hide: only text nodes and documents reach the generic path.
function typeOf(n) { var t = n.localName; return typeof t === 'string' ? 1 : t === undefined ? n.nodeType : 1 }
function tagOf(el) { var t = el.localName; return typeof t === 'string' ? t : 'form' }
function attr(el, k) { return call(el, 'getAttribute', k) }

var sliceOk = false;
try { sliceOk = 'a\u20ac|d'.slice(1, 3) === '\u20ac|' && ''.slice(0, 0) === '' } catch (e) { }
function sub(s, a, b) {
  if (sliceOk) return s.slice(a, b);
  var r = '';
  for (var n = s.length; a < b && a < n; a++) r += s[a];
  return r;
}
function lower(s) {
  var r = '';
  for (var i = 0; i < s.length && i < 64; i++) { var c = s[i]; r += c >= 'A' && c <= 'Z' ? LOW[c] : c }
  return r;
}
var LOW = { __proto__: null, A: 'a', B: 'b', C: 'c', D: 'd', E: 'e', F: 'f', G: 'g', H: 'h', I: 'i', J: 'j', K: 'k', L: 'l', M: 'm', N: 'n', O: 'o', P: 'p', Q: 'q', R: 'r', S: 's', T: 't', U: 'u', V: 'v', W: 'w', X: 'x', Y: 'y', Z: 'z' };
function isWs(c) { return c === ' ' || c <= '\r' && c >= '\t' }
function blank(s) {
  for (var i = 0; i < s.length; i++) { var c = s[i]; if (c !== ' ' && (c > '\r' || c < '\t')) return false }
  return true;
}

// Text as it goes on the wire: whitespace collapsed and trimmed when `fold`, at most `cap` UTF-16 units, the three
// structural characters escaped, lone surrogates replaced (some JSON readers refuse them). Clean text is returned as is.
var CUT = false, ESC = true;
function clean(s, cap, fold) {
  var n = s.length, i = 0, r = '', from, c, len = 0, run;
  CUT = false;
  if (fold) {
    while (i < n && isWs(s[i])) i++;
    if (n < 50000) while (n > i && isWs(s[n - 1])) n--;
  }
  from = i;
  for (; i < n; i++) {
    if (len >= cap) {
      CUT = true;
      c = s[i - 1];
      if (c >= '\ud800' && c <= '\udbff') { if (i - 1 > from) r += sub(s, from, i - 1); return r }
      break;
    }
    c = s[i];
    if (c > ' ' && c < '|') { len++; continue }
    if (c > '~') {
      if (c < '\ud800' || c > '\udfff') { len++; continue }
      if (c <= '\udbff' && i + 1 < n && s[i + 1] >= '\udc00' && s[i + 1] <= '\udfff') { len += 2; i++; continue }
      r += sub(s, from, i) + '\ufffd'; len++; from = i + 1;
    } else if (c >= '|') {
      if (!ESC) { len++; continue }
      r += sub(s, from, i) + (c === '|' ? '}1' : c === '~' ? '}2' : '}0'); len++; from = i + 1;
    } else if (fold && isWs(c)) {
      for (run = i + 1; run < n && isWs(s[run]); ) run++;
      if (run === i + 1 && c === ' ') { len++; continue }
      r += sub(s, from, i) + (run < n ? ' ' : ''); len++; from = run; i = run - 1;
    } else len++;
  }
  if (from === 0 && i >= s.length) return s;
  return from < i ? r + sub(s, from, i) : r;
}

// One bit per attribute that means something here; names come in one call per element.
var ROLE = 1, ID = 2, TEST = 4, LABEL = 8, LBY = 16, AHID = 32, ACHK = 64, ASEL = 128, AEXP = 256, APRS = 512, ADIS = 1024, ARO = 2048, AREQ = 4096,
  ALVL = 8192, TITLE = 16384, PH = 32768, TAB = 65536, CE = 131072, INERT = 262144, CLICK = 524288, AC = 1048576, AVAL = 2097152, TYPE = 4194304,
  GLOB = 8388608, ALT = 16777216, HREF = 33554432, APH = 67108864;
var BITS = {
  __proto__: null, role: ROLE, id: ID, 'data-testid': TEST, 'data-test-id': TEST, 'aria-label': LABEL, 'aria-labelledby': LBY, 'aria-labeledby': LBY,
  'aria-hidden': AHID, 'aria-checked': ACHK, 'aria-selected': ASEL, 'aria-expanded': AEXP, 'aria-pressed': APRS, 'aria-disabled': ADIS,
  'aria-readonly': ARO, 'aria-required': AREQ, 'aria-level': ALVL, title: TITLE, placeholder: PH, tabindex: TAB, contenteditable: CE, inert: INERT,
  onclick: CLICK, autocomplete: AC, 'aria-valuenow': AVAL, 'aria-valuetext': AVAL, type: TYPE, alt: ALT, href: HREF, 'xlink:href': HREF,
  'aria-placeholder': APH, 'aria-live': GLOB, 'aria-describedby': GLOB, 'aria-controls': GLOB, 'aria-owns': GLOB, 'aria-atomic': GLOB,
  'aria-busy': GLOB, 'aria-current': GLOB, 'aria-details': GLOB, 'aria-flowto': GLOB, 'aria-keyshortcuts': GLOB, 'aria-relevant': GLOB, 'aria-roledescription': GLOB
};
function bits(el, form) {
  var a, m = 0, i, n;
  if (form) { new Call(el, 'getAttributeNames'); a = V } else { if (!el.hasAttributes()) return 0; a = el.getAttributeNames() }
  for (i = 0, n = a.length; i < n; i++) m |= BITS[a[i]];
  return m;
}

// Roles. 1 known; 2 named from content; 4 touched for its own sake; 8 its inside is only presentation; 16 the content
// name is cut short because it is a container; 32 a wording of text, folded into a name around it; 64 has checked;
// 128 has selected.
var ROLES = {
  __proto__: null, alert: 1, alertdialog: 1, application: 1, article: 1, banner: 1, blockquote: 1, button: 15, caption: 33, cell: 19, checkbox: 79, code: 33,
  columnheader: 147, combobox: 5, comment: 1, complementary: 1, contentinfo: 1, definition: 1, deletion: 33, dialog: 1, directory: 1, document: 1,
  emphasis: 33, feed: 1, figure: 1, form: 1, generic: 33, grid: 1, gridcell: 147, group: 1, heading: 3, image: 9, img: 9, insertion: 33, link: 7, list: 1,
  listbox: 1, listitem: 1, log: 1, main: 1, mark: 33, marquee: 1, math: 1, menu: 1, menubar: 1, menuitem: 7, menuitemcheckbox: 79,
  menuitemradio: 79, meter: 9, navigation: 1, none: 1, note: 1, option: 143, paragraph: 33, presentation: 1, progressbar: 9, radio: 79, radiogroup: 1,
  region: 1, row: 145, rowgroup: 1, rowheader: 147, scrollbar: 9, search: 1, searchbox: 5, sectionfooter: 1, sectionheader: 1, separator: 9, slider: 13,
  spinbutton: 5, status: 1, strong: 33, subscript: 33, suggestion: 33, superscript: 33, 'switch': 79, tab: 143, table: 1, tablist: 1, tabpanel: 1,
  term: 35, textbox: 5, time: 33, timer: 1, toolbar: 1, tooltip: 3, tree: 1, treegrid: 1, treeitem: 151,
  'graphics-document': 1, 'graphics-object': 1, 'graphics-symbol': 9, 'doc-abstract': 1, 'doc-acknowledgments': 1, 'doc-afterword': 1, 'doc-appendix': 1,
  'doc-backlink': 7, 'doc-biblioentry': 1, 'doc-bibliography': 1, 'doc-biblioref': 7, 'doc-chapter': 1, 'doc-colophon': 1, 'doc-conclusion': 1,
  'doc-cover': 9, 'doc-credit': 1, 'doc-credits': 1, 'doc-dedication': 1, 'doc-endnote': 1, 'doc-endnotes': 1, 'doc-epigraph': 1, 'doc-epilogue': 1,
  'doc-errata': 1, 'doc-example': 1, 'doc-footnote': 1, 'doc-foreword': 1, 'doc-glossary': 1, 'doc-glossref': 7, 'doc-index': 1, 'doc-introduction': 1,
  'doc-noteref': 7, 'doc-notice': 1, 'doc-pagebreak': 9, 'doc-pagefooter': 1, 'doc-pageheader': 1, 'doc-pagelist': 1, 'doc-part': 1, 'doc-preface': 1,
  'doc-prologue': 1, 'doc-pullquote': 1, 'doc-qna': 1, 'doc-subtitle': 3, 'doc-tip': 1, 'doc-toc': 1,
  date: 5, datetime: 5, 'time-input': 5, color: 5, file: 15
};
// Tags: a role word, or a number for those whose role depends on where they stand.
var TAGS = {
  __proto__: null, a: 1, address: 'group', article: 'article', aside: 18, audio: 17, blockquote: 'blockquote', button: 'button', canvas: 'canvas',
  caption: 'caption', code: 'code', dd: 'definition', del: 'deletion', details: 'group', dfn: 'term', dialog: 'dialog', dl: 'list', dt: 'term', em: 'emphasis',
  fieldset: 'group', figure: 'figure', footer: 2, form: 'form', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading',
  header: 3, hgroup: 'group', hr: 'separator', iframe: 'iframe', frame: 'iframe', img: 4, input: 5, ins: 'insertion', li: 6, main: 'main', mark: 'mark', math: 'math',
  menu: 'list', meter: 'meter', nav: 'navigation', ol: 'list', optgroup: 'group', option: 'option', output: 'status', p: 'paragraph',
  progress: 'progressbar', s: 'deletion', search: 'search', section: 7, select: 8, strong: 'strong', sub: 'subscript', summary: 9, sup: 'superscript',
  svg: 10, table: 11, td: 12, textarea: 'textbox', tfoot: 13, th: 14, thead: 13, time: 'time', tr: 15, ul: 'list', video: 'video', area: 16
};
var INPUTS = {
  __proto__: null, button: 'button', checkbox: 'checkbox', color: 'color', date: 'date', 'datetime-local': 'datetime', email: 'textbox', file: 'button',
  hidden: '', image: 'button', month: 'datetime', number: 'spinbutton', password: 'textbox', radio: 'radio', range: 'slider', reset: 'button',
  search: 'searchbox', submit: 'button', tel: 'textbox', text: 'textbox', time: 'time-input', url: 'textbox', week: 'datetime'
};
var SECTIONING = { __proto__: null, article: 1, aside: 1, main: 1, nav: 1, section: 1 };
var SECTROLES = { __proto__: null, article: 1, complementary: 1, main: 1, navigation: 1, region: 1 };

// Shadow roots that the driver handed over because the page can't see them.
var ROOTS = null;
function shadow(el) {
  var s = get(el, 'shadowRoot'), i;
  if (!s && ROOTS !== null) for (i = 0; i < ROOTS.length; i++) if (ROOTS[i] && ROOTS[i].host === el) return ROOTS[i];
  return s || null;
}
// The parent in the flat tree: slot before host, host after shadow root.
function up(n) {
  var p = get(n, 'assignedSlot');
  if (p) return p;
  p = get(n, 'parentNode');
  if (p === null) return null;
  if (p.localName === undefined) { if (p.nodeType === 11) return p.host || null; if (p.nodeType === 9) return null }
  return p;
}
function elUp(n) { var p = up(n); return p !== null && typeOf(p) === 1 ? p : null }

function token(s) { // first known role word
  var i = 0, n = s.length, w;
  while (i < n) {
    while (i < n && isWs(s[i])) i++;
    for (w = ''; i < n && !isWs(s[i]); i++) w += s[i];
    if (w !== '' && ROLES[w] === undefined) w = lower(w);
    if (w !== '' && (ROLES[w] & 1)) return w;
  }
  return '';
}
function focusable(el, tag, m) {
  if (m & (TAB | CE)) return true;
  if (tag === 'button' || tag === 'input' || tag === 'select' || tag === 'textarea') return !el.disabled;
  if (tag === 'a' || tag === 'area') return (m & HREF) !== 0;
  return tag === 'iframe' || tag === 'summary';
}
// 0 not a table for assistive purposes, 1 a table, 2 a grid. Rows remember their answer: cells come in runs.
var lastRow = null, lastKind = 0;
function tableKind(el) {
  var row = get(el, 'parentNode'), p = row, r, k = 1, i;
  if (row === lastRow && row !== null) return lastKind;
  for (i = 0; p && i < 4; i++, p = get(p, 'parentNode')) {
    if (typeOf(p) !== 1) break;
    if (tagOf(p) === 'table') {
      r = attr(p, 'role');
      if (r !== null) { r = token(r); k = r === 'none' || r === 'presentation' ? 0 : r === 'grid' || r === 'treegrid' ? 2 : 1 }
      break;
    }
  }
  lastRow = row; lastKind = k;
  return k;
}
function inTable(el) { lastRow = null; return tableKind(el) }
function sectioned(el, butMain) {
  for (var p = elUp(el), t, r; p !== null; p = elUp(p)) {
    t = tagOf(p);
    if (butMain && t === 'main') continue;
    if (SECTIONING[t]) return true;
    if (t !== 'body' && (r = attr(p, 'role')) !== null && SECTROLES[r = token(r)] && !(butMain && r === 'main')) return true;
  }
  return false;
}
function within(el, a, b, c) { // explicit or implicit context, over generics only
  for (var p = elUp(el), i = 0, r; p !== null && i < 50; p = elUp(p), i++) {
    r = attr(p, 'role'); r = r !== null ? token(r) : '';
    if (r === a || r === b || r === c) return true;
    if (r === '' && a === 'list') { r = tagOf(p); if (r === 'ul' || r === 'ol' || r === 'menu') return true; if (TAGS[r]) return false; continue }
    if (r !== '' && r !== 'none' && r !== 'presentation' && r !== 'generic' && r !== 'treeitem') return false;
  }
  return false;
}
function labelled(el, m) {
  var s;
  if (m & LABEL && !blank(attr(el, 'aria-label'))) return true;
  if (m & LBY && !blank(byIds(el, attr(el, 'aria-labelledby') || attr(el, 'aria-labeledby') || ''))) return true;
  return (m & TITLE) !== 0 && (s = attr(el, 'title')) !== null && !blank(s);
}
function roleOf(el, tag, m) {
  var r, p, k;
  if (m & ROLE) {
    r = token(attr(el, 'role'));
    if (r === 'none' || r === 'presentation') {
      if (!focusable(el, tag, m) && !(m & (LABEL | LBY | GLOB | AHID))) return '';
      r = '';
    } else if (r === 'img') return 'image';
    else if (r === 'generic') return '';
    else if (r === 'directory') return 'list';
    else if (r === 'region' || r === 'form') { if (labelled(el, m)) return r; return r === 'form' && tag === 'form' ? r : '' }
    else if (r === 'listitem') return within(el, 'list', 'directory', 'list') ? r : '';
    else if (r === 'treeitem') return within(el, 'tree', 'group', 'tree') ? r : '';
    if (r !== '') return r;
  }
  r = TAGS[tag];
  if (r === undefined) return '';
  if (typeof r === 'string') return r;
  switch (r) {
    case 1: case 16: return m & HREF ? 'link' : '';
    case 2: return sectioned(el) ? 'sectionfooter' : 'contentinfo';
    case 3: return sectioned(el) ? 'sectionheader' : 'banner';
    case 4: return m & ALT && attr(el, 'alt') === '' && !(m & (TITLE | LABEL | LBY | GLOB | TAB)) ? '' : 'image';
    case 5:
      r = INPUTS[el.type];
      if (r === undefined) r = 'textbox';
      if ((r === 'textbox' || r === 'searchbox') && el.type !== 'password' && el.list) return 'combobox';
      if (m & APRS && el.type === 'checkbox') return 'button';
      return r;
    case 6:
      p = elUp(el);
      if (p !== null && (r = attr(p, 'role')) !== null) { r = token(r); if (r === 'none' || r === 'presentation') return '' }
      return 'listitem';
    case 7: return labelled(el, m) ? 'region' : '';
    case 8: return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
    case 9: p = elUp(el); if (p !== null && tagOf(p) === 'slot') p = elUp(p); return p !== null && tagOf(p) === 'details' ? 'button' : '';
    case 10: return 'image';
    case 11: return 'table';
    case 12: k = tableKind(el); return k === 0 ? '' : k === 2 ? 'gridcell' : 'cell';
    case 13: return inTable(el) === 0 ? '' : 'rowgroup';
    case 14:
      k = tableKind(el);
      if (k === 0) return '';
      r = attr(el, 'scope');
      if (r === 'col' || r === 'colgroup') return 'columnheader';
      if (r === 'row' || r === 'rowgroup') return 'rowheader';
      for (p = el.previousElementSibling; p; p = p.previousElementSibling) if (p.localName === 'td') return 'rowheader';
      for (p = el.nextElementSibling; p; p = p.nextElementSibling) if (p.localName === 'td') return 'rowheader';
      return 'columnheader';
    case 15: return inTable(el) === 0 ? '' : 'row';
    case 18: return sectioned(el, true) && !labelled(el, m) ? '' : 'complementary';
    case 17: return el.controls ? 'audio' : '';
  }
  return '';
}

// A secret: its value must never leave the page. The mask style counts too, it is how home-made secret fields look.
function secure(el, tag, m, cs) {
  var s, i, n, w;
  if (tag !== 'input' && tag !== 'textarea') return false;
  if (tag === 'input' && el.type === 'password') return true;
  if (m & AC) {
    for (s = attr(el, 'autocomplete') || '', i = 0, n = s.length; i < n; ) {
      while (i < n && isWs(s[i])) i++;
      for (w = ''; i < n && !isWs(s[i]); i++) w += s[i];
      w = lower(w);
      if (w === 'one-time-code' || w === 'current-password' || w === 'new-password' || w[0] === 'c' && w[1] === 'c' && w[2] === '-') return true;
    }
  }
  if (!cs) cs = win.getComputedStyle(el);
  s = cs.webkitTextSecurity;
  return typeof s === 'string' && s !== '' && s !== 'none';
}

// Names.
var FROMCONTENT = false;
function root(el) { return call(el, 'getRootNode') }
function byId(r, id) { return r.nodeType === 9 ? callD(r, 'getElementById', id) : typeof r.getElementById === 'function' ? r.getElementById(id) : null }
function byIds(el, s) {
  var i = 0, n = s.length, w, t, out = '', r = root(el);
  while (i < n) {
    while (i < n && isWs(s[i])) i++;
    for (w = ''; i < n && !isWs(s[i]); i++) w += s[i];
    if (w === '') break;
    t = byId(r, w);
    if (t) { w = refText(t, el); if (w !== '') out += (out === '' ? '' : ' ') + w }
  }
  return out;
}
function hiddenSelf(el) { var cs = win.getComputedStyle(el); return cs.display === 'none' || cs.visibility !== 'visible' }
// The text of an element that another one points to. A hidden target counts with its hidden content; labelledby isn't followed again.
function refText(t, self) {
  var tag = tagOf(t), m = bits(t, isForm(t)), s;
  if (m & LABEL && !blank(s = attr(t, 'aria-label'))) return s;
  if (t !== self) { s = embedded(t, tag, m, roleOf(t, tag, m)); if (s !== null) return s }
  s = native(t, tag, m, true);
  if (blank(s)) s = content(t, 10000, hiddenSelf(t), t === self ? null : self);
  if (blank(s) && m & TITLE) s = attr(t, 'title') || '';
  return s;
}
function labelsText(el, list) {
  var out = '', i, n, t, s;
  for (i = 0, n = list.length; i < n; i++) {
    t = list[i];
    s = attr(t, 'aria-label');
    if (s === null || blank(s)) s = content(t, 10000, false, el);
    if (!blank(s)) out += (out === '' ? '' : ' ') + s;
  }
  return out;
}
function childTag(el, a) {
  for (var c = get(el, 'firstChild'); c; c = get(c, 'nextSibling')) if (typeOf(c) === 1 && tagOf(c) === a) return c;
  return null;
}
function optionText(o) { var s = o.label; return typeof s === 'string' && s !== '' ? s : o.text }
function selectText(el) {
  var o = el.options, i, n, out = '';
  if (!o) return '';
  if (!el.multiple) { i = el.selectedIndex; return i >= 0 && o[i] ? optionText(o[i]) : '' }
  for (i = 0, n = o.length; i < n && out.length < 10000; i++) if (o[i].selected) out += (out === '' ? '' : ' ') + optionText(o[i]);
  return out;
}
function native(el, tag, m, noLabels) {
  var s, c, t;
  switch (tag) {
    case 'input':
      t = el.type;
      if (t === 'button' || t === 'submit' || t === 'reset') {
        if (!noLabels && el.labels && el.labels.length && !blank(s = labelsText(el, el.labels))) return s;
        s = el.value;
        return blank(s) ? t === 'submit' ? 'Submit' : t === 'reset' ? 'Reset' : '' : s;
      }
      if (t === 'image') { s = attr(el, 'alt') || attr(el, 'value') || attr(el, 'title') || ''; return blank(s) ? 'Submit' : s }
      s = !noLabels && el.labels && el.labels.length ? labelsText(el, el.labels) : '';
      return s;
    case 'select': case 'textarea': case 'meter': case 'output': case 'progress': case 'button':
      return !noLabels && el.labels && el.labels.length ? labelsText(el, el.labels) : '';
    case 'img': case 'area': return attr(el, 'alt') || '';
    case 'fieldset': c = childTag(el, 'legend'); return c ? content(c, 10000, false, null) : '';
    case 'table': c = childTag(el, 'caption'); return c ? content(c, 10000, false, null) : '';
    case 'svg': c = childTag(el, 'title'); return c ? c.textContent : '';
    case 'optgroup': return attr(el, 'label') || '';
    case 'option': s = attr(el, 'label'); return s || '';
  }
  return '';
}
// What a control inside a name contributes: its value, never a secret one. null = not such a control.
function embedded(el, tag, m, role) {
  if (tag === 'input') {
    if (role === 'textbox' || role === 'searchbox' || role === 'combobox' || role === 'spinbutton' || role === 'slider' || role === 'date' || role === 'datetime' || role === 'time-input' || role === 'color')
      return secure(el, tag, m, null) ? '' : el.value;
    return null;
  }
  if (tag === 'textarea') return secure(el, tag, m, null) ? '' : el.value;
  if (tag === 'select') return selectText(el);
  if (tag === 'progress' || tag === 'meter') return '' + el.value;
  if (role === 'slider' || role === 'spinbutton' || role === 'progressbar' || role === 'scrollbar' || role === 'meter')
    return attr(el, 'aria-valuetext') || attr(el, 'aria-valuenow') || '';
  return null;
}
var NOTEXT = { __proto__: null, script: 1, style: 1, template: 1, noscript: 1, head: 1, meta: 1, link: 1, title: 1, base: 1, datalist: 1, colgroup: 1, source: 1, track: 1, param: 1, object: 1, canvas: 1, audio: 1, video: 1, iframe: 1 };
// The text inside an element, in flat-tree order and without recursion. `hidden` keeps hidden parts (a hidden label
// was pointed to on purpose), `skip` is the control that is being named, which must not name itself;
// `flat` leaves nested groups out (the entries below an entry of a tree).
function content(el, cap, hidden, skip, flat) {
  var out = '', f, n, t, tag, cs, m, s, r, kids, d, block, limit = cap * 2 + 64, sh, steps = 0;
  sh = shadow(el);
  n = (sh || el).firstChild;
  if (isForm(el)) n = get(el, 'firstChild');
  if (!sh && n && n.localName === undefined && n.nodeType === 3 && n.nextSibling === null && tagOf(el) !== 'slot')
    return n.length > limit ? n.substringData(0, limit) : n.data;
  f = { up: null, n: n, list: null, li: 0, block: false, vis: true };
  if (tagOf(el) === 'slot') { kids = el.assignedNodes(); if (kids.length) { f.list = kids; f.n = kids[0] } }
  if (!hidden && f.n) f.vis = win.getComputedStyle(el).visibility === 'visible';
  for (; ;) {
    n = f.n;
    if (!n || out.length > limit || steps > 20000) {
      if (f.block) out += ' ';
      f = f.up;
      if (f === null) break;
      continue;
    }
    steps++;
    f.n = f.list !== null ? f.list[++f.li] || null : get(n, 'nextSibling');
    t = n.localName;
    if (t === undefined) {
      if (n.nodeType === 3 && f.vis) out += n.length > limit ? n.substringData(0, limit) : n.data;
      continue;
    }
    tag = tagOf(n);
    if (tag === 'br') { out += ' '; continue }
    if (NOTEXT[tag] && tag !== 'iframe' || n === skip) continue;
    m = bits(n, isForm(n));
    if (!hidden && m & AHID && attr(n, 'aria-hidden') === 'true') continue;
    cs = win.getComputedStyle(n);
    d = cs.display;
    if (d === 'none' && !hidden) continue;
    block = !(d === 'inline' || d === 'contents' || d === 'none' || d === 'ruby' || d === 'ruby-text' || d === '');
    r = m & ROLE || TAGS[tag] !== undefined ? roleOf(n, tag, m) : '';
    if (flat && r === 'group') continue;
    s = embedded(n, tag, m, r);
    if (s === null && m & LABEL) { s = attr(n, 'aria-label'); if (blank(s)) s = null }
    if (s === null && m & LBY && skip === null) { s = byIds(n, attr(n, 'aria-labelledby') || ''); if (blank(s)) s = null }
    if (s === null) {
      if (s === null) { s = native(n, tag, m, true); if (blank(s)) s = null }
      if (s === null && m & TITLE && (tag === 'img' || tag === 'svg' || tag === 'abbr')) s = attr(n, 'title');
      if (s === null && (tag === 'svg' || tag === 'img' || tag === 'input' || tag === 'iframe')) continue;
    }
    if (s !== null) {
      if (hidden || cs.visibility === 'visible') out += block || tag !== 'span' && TAGS[tag] === undefined ? ' ' + s + ' ' : s;
      continue;
    }
    sh = shadow(n);
    kids = tag === 'slot' ? n.assignedNodes() : null;
    if (kids !== null && kids.length === 0) kids = null;
    if (block) out += ' ';
    f = { up: f, n: kids !== null ? kids[0] : sh ? sh.firstChild : get(n, 'firstChild'), list: kids, li: 0, block: block, vis: hidden || cs.visibility === 'visible' };
    if (tag === 'details' && !n.open) f.n = childTag(n, 'summary');
  }
  return out;
}
var NOPH = { __proto__: null, checkbox: 1, radio: 1, button: 1, submit: 1, reset: 1, file: 1, image: 1, range: 1, color: 1 };
function nameOf(el, tag, role, m) {
  var s, t;
  FROMCONTENT = false;
  if (m & LBY) { s = byIds(el, attr(el, 'aria-labelledby') || attr(el, 'aria-labeledby') || ''); if (!blank(s)) return s }
  if (m & LABEL) { s = attr(el, 'aria-label'); if (!blank(s)) return s }
  if (role !== 'text') {
    s = native(el, tag, m, false);
    if (!blank(s)) { if (tag === 'button') FROMCONTENT = false; return s }
    if (ROLES[role] & 2 && tag !== 'input' || role === 'row' && inGrid(el) || role === 'math' && tag !== 'math') {
      s = content(el, ROLES[role] & 16 || role === 'row' ? 200 : 10000, false, null, role === 'treeitem');
      if (!blank(s)) { FROMCONTENT = true; return s }
      if (tag === 'summary') return 'Details';
    }
  }
  if (m & TITLE) { s = attr(el, 'title'); if (!blank(s)) return s }
  if (m & PH && (tag === 'input' && !NOPH[el.type] || tag === 'textarea')) { s = attr(el, 'placeholder'); if (!blank(s)) return s }
  if (m & APH) { s = attr(el, 'aria-placeholder'); if (!blank(s)) return s }
  if (tag === 'input' && el.type === 'file') return el.multiple ? 'Choose Files' : 'Choose File';
  return '';
}
function inGrid(el) { return tagOf(el) === 'tr' ? inTable(el) === 2 : within(el, 'grid', 'treegrid', 'rowgroup') }
function nameCap(el, role) { return ROLES[role] & 16 || role === 'row' || role === 'figure' ? onlyText(el) ? 10000 : 200 : 10000 }
function onlyText(el) {
  var c = get(el, 'firstChild');
  return c !== null && typeOf(c) === 3 && c.nextSibling === null && !shadow(el);
}
function editableHost(el, m) {
  var s;
  if (!(m & CE)) return false;
  s = attr(el, 'contenteditable');
  return s !== null && lower(s) !== 'false' && (s === '' || lower(s) === 'true' || lower(s) === 'plaintext-only');
}
function disabled(el, tag, m) {
  if (m & ADIS && attr(el, 'aria-disabled') === 'true') return true;
  if (tag === 'button' || tag === 'input' || tag === 'select' || tag === 'textarea' || tag === 'option' || tag === 'optgroup' || tag === 'fieldset') return el.matches(':disabled');
  return false;
}
var TEXTTYPES = { __proto__: null, text: 1, search: 1, url: 1, tel: 1, email: 1, password: 1, number: 1 };
function textLike(el, tag) { return tag === 'textarea' || tag === 'input' && TEXTTYPES[el.type] === 1 }

// Document identity: the moment its window began, kept over history.pushState and bfcache, new on every load.
function docToken(w) {
  var t;
  try { t = w.performance.timeOrigin } catch (e) { }
  return typeof t === 'number' ? '' + (t * 10 - t * 10 % 1) : '0';
}
function frameDoc(el) { try { var d = el.contentDocument; return d && d.nodeType === 9 ? d : null } catch (e) { return null } }
function px(s) { for (var r = '', i = 0; i < s.length && (s[i] >= '0' && s[i] <= '9' || s[i] === '.'); i++) r += s[i]; return r === '' ? 0 : +r }
// Where the document of a frame begins, from the corner of its box.
function insetX(el) { return el.clientLeft + px(win.getComputedStyle(el).paddingLeft) }
function insetY(el) { return el.clientTop + px(win.getComputedStyle(el).paddingTop) }
function frameToken(d) { var w = getD(d, 'defaultView'), s = w ? docToken(w) : '0'; return sub(s, s.length > 8 ? s.length - 8 : 0, s.length) }

// The deepest element at a point of one document, through open shadow roots.
function topAt(d, x, y) {
  var h = callD(d, 'elementFromPoint', x, y), s, g, i;
  for (i = 0; h && i < 64; i++) {
    s = shadow(h);
    if (!s) break;
    g = s.elementFromPoint(x, y);
    if (!g || g === h || g.getRootNode === undefined || call(g, 'getRootNode') !== s) break;
    h = g;
  }
  return h;
}
// 0 the point belongs to the element; 1 to an ancestor; 2 to something else.
function reach(el, h) {
  for (var p = h; p !== null; p = elUp(p)) if (p === el) return 0;
  for (p = elUp(el); p !== null; p = elUp(p)) if (p === h) return 1;
  return 2;
}
function ownLabel(el, h) {
  var l, i, n;
  try { l = el.labels } catch (e) { }
  if (!l) return false;
  for (i = 0, n = l.length; i < n; i++) if (reach(l[i], h) === 0) return true;
  return false;
}
// One point against one element: null when the touch lands in it, else the element that takes it. `text` may be taken by an
// ancestor: words don't listen, what they stand in does.
var HITX = 0, HITY = 0;
function blockedAt(el, d, x, y, text) {
  var h = topAt(d, x, y), k;
  if (!h) return undefined;
  k = reach(el, h);
  if (k === 0 || k === 1 && text || ownLabel(el, h)) return null;
  return h;
}
// Tries the centre of the visible part, then the points at 25 % and 75 %, then the first line box of an inline element. Coordinates are those
// of the element's own document. null = reachable, with HITX/HITY; undefined = no point answers.
function blocked(el, d, x0, y0, x1, y1, text) {
  var cx = (x0 + x1) / 2, cy = (y0 + y1) / 2, w = (x1 - x0) / 4, h = (y1 - y0) / 4, b, first, l, r, i;
  first = blockedAt(el, d, HITX = cx, HITY = cy, text);
  if (first === null) return null;
  b = blockedAt(el, d, HITX = cx - w, HITY = cy - h, text);
  if (b === null) return null;
  b = blockedAt(el, d, HITX = cx + w, HITY = cy + h, text);
  if (b === null) return null;
  l = call(el, 'getClientRects');
  for (i = 0; l.length > 1 && i < l.length && i < 4; i++) {
    r = l[i];
    HITX = (max(r.left, x0) + min(r.right, x1)) / 2; HITY = (max(r.top, y0) + min(r.bottom, y1)) / 2;
    if (r.width > 0 && r.height > 0 && HITX >= x0 && HITX < x1 && HITY >= y0 && HITY < y1 && blockedAt(el, d, HITX, HITY, text) === null) return null;
  }
  HITX = cx; HITY = cy;
  return first === undefined ? b : first;
}
function min(a, b) { return a < b ? a : b }
function max(a, b) { return a > b ? a : b }
function num(x) { // two decimals at most, no exponent
  if (x !== x) return 0;
  if (x % 1 === 0 && x < 10000000 && x > -10000000) return x | 0;
  if (x > 9999999) return 9999999;
  if (x < -9999999) return -9999999;
  x = x * 100;
  x = x < 0 ? x - 0.5 : x + 0.5;
  return (x - x % 1) / 100;
}
// Elements whose children are not content, or not ours to see.
var LEAF = { __proto__: null, canvas: 1, video: 1, audio: 1, img: 1, input: 1, textarea: 1, iframe: 1, frame: 1, progress: 1, meter: 1, embed: 1, math: 1 };
function holdsFixed(cs) { return cs.transform !== 'none' || cs.filter !== 'none' || cs.perspective !== 'none' || cs.willChange === 'transform' }
// The focused element, through open shadow roots and frames of the same origin.
function deepActive() {
  var e = getD(doc, 'activeElement'), i, s;
  for (i = 0; e && i < 64; i++) {
    if ((s = get(e, 'shadowRoot')) && s.activeElement) { e = s.activeElement; continue }
    s = tagOf(e) === 'iframe' ? frameDoc(e) : null;
    if (!s || !getD(s, 'activeElement') || getD(s, 'activeElement') === getD(s, 'body')) break;
    e = getD(s, 'activeElement');
  }
  return e;
}
