// The capture: one walk over the flat tree, one string. The format is described in decode.rs.
var SKIP = {
  __proto__: null, script: 1, style: 1, template: 1, noscript: 1, head: 1, meta: 1, link: 1, title: 1, base: 1, datalist: 1, colgroup: 1, col: 1, source: 1,
  track: 1, param: 1, wbr: 1, br: 1, map: 1, defs: 1, clipPath: 1, symbol: 1, linearGradient: 1, radialGradient: 1, filter: 1, mask: 1, desc: 1, metadata: 1,
  path: 1, circle: 1, rect: 1, line: 1, polyline: 1, polygon: 1, ellipse: 1, stop: 1
};
// Inherited marks of a frame of the walk.
var INERTED = 1, MUTED = 2, ADISABLED = 4, EDITING = 8, INTERACTIVE = 16, SVG = 32;

function walk(opts, roots) {
  var maxLen = opts && opts.max || 16000000, deadline = opts && opts.ms || 8000, t0 = 0, perf = win.performance;
  var out = '', size = 0, index = 0, prevDepth = -1, seen = 0, trunc = 0, skipped = 0;
  var px = '', py = '', pw = '', ph = '';
  var kindIdx = { __proto__: null }, kindTab = '', kindN = 0;
  var EL = { __proto__: null };
  var cands = null, lastCand = null, covers = '';
  var active = deepActive(), activeIdx = -1, i, s;
  var range = callD(doc, 'createRange');
  var vw = win.innerWidth, vh = win.innerHeight, frames = 0;
  try { t0 = perf.now() } catch (e) { deadline = 0 }

  function box(x0, y0, x1, y1, k, upper) { // a clip: its own box and its intersection with those around it
    var c = { x0: x0, y0: y0, x1: x1, y1: y1, bx0: x0, by0: y0, bx1: x1, by1: y1, k: k, up: upper };
    if (upper !== null) {
      if (upper.x0 > x0) c.x0 = upper.x0;
      if (upper.y0 > y0) c.y0 = upper.y0;
      if (upper.x1 < x1) c.x1 = upper.x1;
      if (upper.y1 < y1) c.y1 = upper.y1;
    }
    return c;
  }
  function kindOf(role, tag) {
    var t = kindIdx[tag], k;
    if (t === undefined) t = kindIdx[tag] = { __proto__: null };
    k = t[role];
    if (k === undefined) { k = t[role] = kindN++; kindTab += '|' + role + ',' + tag }
    return k;
  }
  function lostBy(x0, y0, x1, y1, clip) { // the innermost clip that leaves nothing
    for (var c = clip; c !== null; c = c.up) if (x1 <= c.bx0 || x0 >= c.bx1 || y1 <= c.by0 || y0 >= c.by1) return c.k;
    return 'K';
  }
  function scrollMarks(el) {
    var s = '', st = el.scrollTop, sl = el.scrollLeft;
    if (st > 0.5) s += 'A';
    if (st + el.clientHeight < el.scrollHeight - 1) s += 'B';
    if (sl > 0.5 || sl < -0.5 && sl * -1 + el.clientWidth < el.scrollWidth - 1) s += 'L';
    if (sl < -0.5 || sl >= 0 && sl + el.clientWidth < el.scrollWidth - 1) s += 'G';
    return s;
  }
  // Writes one record and remembers what a hit test can ask about. hit: 0 no, 1 words, 2 something that is touched.
  function emit(el, kind, depth, flags, x, y, w, h, ox, oy, clip, path, extra, hit, d, fr) {
    var x0 = x + ox, y0 = y + oy, x1, y1, sx, sy, sw, sh, rec, c;
    x1 = x0 + w; y1 = y0 + h;
    if (w <= 0 || h <= 0) flags += 'h';
    else if (x1 <= clip.x0 || x0 >= clip.x1 || y1 <= clip.y0 || y0 >= clip.y1) flags += lostBy(x0, y0, x1, y1, clip);
    else if (hit !== 0) {
      flags += 'H';
      c = { el: el, i: index, text: hit === 1, d: d, fr: fr, ox: ox, oy: oy, x0: max(x0, clip.x0), y0: max(y0, clip.y0), x1: min(x1, clip.x1), y1: min(y1, clip.y1), next: null };
      if (lastCand === null) cands = c; else lastCand.next = c;
      lastCand = c;
    }
    sx = '' + num(x0); sy = '' + num(y0); sw = '' + num(w); sh = '' + num(h);
    rec = kind + (prevDepth + 1 === depth ? ',' : ',' + (prevDepth + 1 - depth)) + flags + '|' +
      (sx === px ? '' : sx) + ',' + (sy === py ? '' : sy) + ',' + (sw === pw ? '' : sw) + ',' + (sh === ph ? '' : sh) + '|' + path + extra + '~';
    // Past the cap nothing more is written: paths are relative to the record around them.
    if (trunc & 1 || size + rec.length > maxLen) { trunc |= 1; skipped++; return }
    px = sx; py = sy; pw = sw; ph = sh;
    size += rec.length;
    out += rec;
    EL[index++] = el;
    prevDepth = depth;
  }

  // The modal dialog on top makes the rest inert.
  var modal = null;
  try {
    s = callD(doc, 'querySelectorAll', 'dialog:modal');
    for (i = 0; i < s.length; i++) {
      var mr = s[i].getBoundingClientRect(), mh = topAt(doc, mr.left + mr.width / 2, mr.top + mr.height / 2);
      if (modal === null || mh && reach(s[i], mh) === 0) modal = s[i];
    }
  } catch (e) { }

  var html = getD(doc, 'documentElement');
  if (active === html || active !== null && active !== undefined && tagOf(active) === 'body') active = null;
  lastRow = null;
  ESC = true;
  ROOTS = roots || null;
  if (!html) return 'AD1|' + docToken(win) + '|0|0|1|0|0|0|0|-1|0|0|0|0||~~~';
  var scroller = getD(doc, 'scrollingElement') || html;
  var rootClip = box(0, 0, vw, vh, 'v', null);
  emit(html, kindOf('document', 'html'), 0, scrollMarks(scroller), 0, 0, vw, vh, 0, 0, rootClip, '', '|n' + clean(getD(doc, 'title'), 10000, true), 0, doc, null);

  var F = {
    up: null, n: get(html, 'firstChild'), list: null, li: 0, pre: '', ei: 0, ti: 0, depth: 1, clip: rootClip, abs: rootClip, fix: rootClip,
    ctx: modal !== null ? INERTED : 0, cs: null, vis: 1, ox: 0, oy: 0, el: html, d: doc, fr: null, fd: 0
  };

  for (; ;) {
    var n = F.n, tag, form, m, cs, disp, vis, role, path, first, only, ctx, r, text, flags, extra, x, y, w, h, inter, emitIt, named, nfc, kind, hit, clip,
      depth, pre, tp, ov, ovx, ovy, clips, kids, sh, fd, sec, val, pos, tmp, marks, type, hidden;
    if (n === null || n === undefined || trunc & 2) {
      F = F.up;
      if (F === null) break;
      continue;
    }
    if (F.list !== null) F.n = F.list[++F.li]; else F.n = undefined;
    tag = n.localName;
    form = false;
    if (typeof tag !== 'string') {
      if (tag === undefined) {
        if (F.list === null) F.n = n.nextSibling;
        if (n.nodeType !== 3) { if (F.list !== null) F.ei++; continue }
        path = F.list !== null ? 'A' + F.ei++ : 'T' + F.ti++;
        if (F.ctx & (MUTED | EDITING)) continue;
        text = n.data;
        if (blank(text)) continue;
        if (F.vis === 2) F.vis = (F.cs || (F.cs = win.getComputedStyle(F.el))).visibility === 'visible' ? 1 : 0;
        if (F.vis === 0) continue;
        range.selectNodeContents(n);
        r = range.getBoundingClientRect();
        w = r.width; h = r.height;
        if (w <= 0 || h <= 0) continue;
        seen++;
        text = clean(text, 10000, true);
        emit(F.el, kindOf('text', '#text'), F.depth, (CUT ? 't' : '') + (F.ctx & INERTED ? 'I' : ''), r.x, r.y, w, h, F.ox, F.oy, F.clip, F.pre + path, '|n' + text, 1, F.d, F.fr);
        continue;
      }
      tag = 'form'; form = true;
    } else if (tag === 'form') form = true;
    if (F.n === undefined && F.list === null) { if (form) { new Get(n, 'nextSibling'); F.n = V } else F.n = n.nextSibling }
    path = F.list !== null ? 'A' + F.ei++ : '' + F.ei++;
    seen++;
    if (SKIP[tag]) continue;
    if ((seen & 1023) === 0 && deadline !== 0 && perf.now() - t0 > deadline) { trunc |= 2; continue }
    m = bits(n, form);
    if (m & AHID && attr(n, 'aria-hidden') === 'true') continue;
    cs = win.getComputedStyle(n);
    disp = cs.display;
    if (disp === 'none') continue;
    ctx = F.ctx;
    if (m & INERT) ctx |= INERTED;
    if (n === modal) ctx &= ~INERTED;
    first = form ? (new Get(n, 'firstChild'), V) : n.firstChild;
    sh = form ? null : n.shadowRoot;
    if (ROOTS !== null && !sh && !form) sh = shadow(n);
    kids = tag === 'slot' ? n.assignedNodes() : null;
    if (kids !== null && kids.length === 0) kids = null;
    if (disp === 'contents') {
      if (sh || kids || first) {
        pre = F.pre + path + (sh ? '.S' : '.');
        F = {
          up: F, n: kids !== null ? kids[0] : sh ? sh.firstChild : first, list: kids, li: 0, pre: pre, ei: 0, ti: 0, depth: F.depth, clip: F.clip, abs: F.abs, fix: F.fix,
          ctx: ctx, cs: cs, vis: 2, ox: F.ox, oy: F.oy, el: n, d: F.d, fr: F.fr, fd: F.fd
        };
      }
      continue;
    }
    only = !sh && kids === null && first !== null && !form && first.localName === undefined && first.nodeType === 3 && first.nextSibling === null;
    if (LEAF[tag] === 1) { first = null; only = false; sh = null }
    role = m & ROLE || TAGS[tag] !== undefined ? roleOf(n, tag, m) : '';

    // Plain wrappers without anything to say are most of a page: they only pass the walk on.
    if (role === '' && !only && m & ~(AHID | HREF | TYPE | ALT | AC | ROLE) || role !== '') emitIt = true;
    else emitIt = false;

    clip = F.clip;
    clips = false; marks = ''; ovx = ovy = false; pos = '';
    if (clip !== F.abs || clip !== F.fix) {
      pos = cs.position;
      if (pos === 'absolute') clip = F.abs; else if (pos === 'fixed') clip = F.fix;
    }
    if ((first !== null || sh) && tag !== 'body' && (!only || first.length > 80)) {
      ov = cs.overflowY;
      if (ov !== 'visible') { clips = true; ovy = ov !== 'clip' && ov !== 'hidden' }
      ov = cs.overflowX;
      if (ov !== 'visible') { clips = true; ovx = ov !== 'clip' && ov !== 'hidden' }
      if (ovx || ovy) {
        if (form) { ovx = ovy = false } else {
          marks = scrollMarks(n);
          ovx = ovx && n.scrollWidth > n.clientWidth + 1;
          ovy = ovy && n.scrollHeight > n.clientHeight + 1;
          if (!ovx && !ovy) marks = '';
        }
      }
      if (ovx || ovy) { marks += 'z'; emitIt = true }
    }
    text = '';
    if (only) {
      if (role === '' || ROLES[role] & 32) { if (!(ctx & (MUTED | EDITING)) && !blank(first.data)) emitIt = true; else if (m & (ID | TEST) && role === '') emitIt = !blank(first.data) }
    } else if (role !== '' && ROLES[role] & 32 && ctx & MUTED && !(m & (ID | TEST | TAB | CLICK))) emitIt = false;
    // A wording element with words and elements inside is only worth a node of its own when something can name it.
    if (emitIt && role !== '' && !only && role !== 'paragraph' && role !== 'caption' && ROLES[role] & 32 && !(m & (ID | TEST | TAB | CLICK | LABEL | LBY))) emitIt = false;

    inter = false;
    if (role !== '') inter = (ROLES[role] & 4) !== 0;
    if (!inter && m & (TAB | CLICK | CE)) {
      if (m & CLICK) inter = true;
      else if (m & TAB && n.tabIndex >= 0) inter = true;
      else if (m & CE && editableHost(n, m)) inter = true;
      if (inter) emitIt = true;
    }
    // An element of a page's own making without light children may hide a closed shadow root.
    if (!emitIt && role === '' && first === null && !sh && kids === null && hasDash(tag)) emitIt = true;
    if (emitIt === false && !clips && n === active && tag !== 'body') emitIt = true;
    // A pointer cursor that begins here marks a target that nothing else gives away.
    if (!inter && !(ctx & INTERACTIVE) && (emitIt || !only) && role === '' && cs.cursor === 'pointer') { inter = true; if (only || m & (ID | TEST)) emitIt = true; else if (tag !== 'label') emitIt = true }

    depth = F.depth; pre = F.pre + path + '.';
    nfc = false; hidden = false; x = y = w = h = 0;
    if (emitIt || clips || tag === 'iframe' || tag === 'frame') {
      r = form ? (new Call(n, 'getBoundingClientRect'), V) : n.getBoundingClientRect();
      x = r.x; y = r.y; w = r.width; h = r.height;
    }
    if (emitIt) {
      vis = cs.visibility === 'visible';
      if (!vis) emitIt = false;
      else if ((w <= 0 || h <= 0) && (first === null && !sh && !inter || only && !inter)) emitIt = false;
      else if (tag === 'svg' && m === 0 && childTag(n, 'title') === null) emitIt = false;
      else if (tag === 'input' && n.type === 'hidden') emitIt = false;
      else if (tag === 'option' && (w <= 0 || h <= 0)) emitIt = false;
      else if (ctx & SVG && !inter && !only && role === '') emitIt = false;
    } else vis = false;
    fd = null;

    if (emitIt) {
      flags = marks; extra = '';
      sec = false; hit = 0;
      if (m & CE && editableHost(n, m) && (role === '' || role === 'textbox')) { role = 'textbox'; flags += 'E'; inter = true; ctx |= EDITING }
      if (tag === 'input' || tag === 'textarea') {
        type = tag === 'input' ? n.type : tag;
        sec = secure(n, tag, m, cs);
        if (sec) flags += 'S';
        tmp = disabled(n, tag, m) || (ctx & ADISABLED) !== 0;
        flags += tmp ? 'd' : 'e';
        if (textLike(n, tag)) {
          flags += n.readOnly ? 'r' : 'w';
          if (!tmp && !n.readOnly) flags += 'E';
          if (n.required) flags += 'R';
        } else if (n.required) flags += 'R';
        if (type === 'checkbox' || type === 'radio') flags += n.indeterminate && type === 'checkbox' ? 'm' : n.checked ? 'c' : 'u';
        else if (type === 'file') extra += '|v' + (n.files && n.files.length ? clean(n.files[0].name, 1000, false) : '');
        else if (!sec && type !== 'button' && type !== 'submit' && type !== 'reset' && type !== 'image') {
          val = n.value;
          if (typeof val === 'string') { val = clean(val, 10000, false); extra += '|v' + val; if (CUT) flags += 't' }
        }
        tag = tag === 'input' ? 'input.' + type : tag;
        if (m & PH) { tmp = attr(n, 'placeholder'); if (!blank(tmp)) extra += '|p' + clean(tmp, 1000, true) }
      } else if (tag === 'select') {
        flags += disabled(n, tag, m) || ctx & ADISABLED ? 'd' : 'e';
        if (n.required) flags += 'R';
        extra += '|v' + clean(selectText(n), 10000, true);
      } else {
        if (inter || role === 'group' || role === 'option' || tag === 'button') {
          if (ROLES[role] & 4 || tag === 'fieldset' || tag === 'button' || m & ADIS) {
            tmp = disabled(n, tag, m) || (ctx & ADISABLED) !== 0;
            flags += tmp ? 'd' : 'e';
          }
        } else if (m & ADIS) flags += attr(n, 'aria-disabled') === 'true' ? 'd' : 'e';
        if (tag === 'option') flags += n.selected ? 's' : 'n';
        else if (tag === 'progress' || tag === 'meter') { if (tag === 'meter' || n.position >= 0) extra += '|v' + n.value }
        else if (m & AVAL && role !== '') { tmp = attr(n, 'aria-valuetext') || attr(n, 'aria-valuenow'); if (tmp) extra += '|v' + clean(tmp, 1000, true) }
        else if (ctx & EDITING && flags !== '' && m & CE) { val = clean(first === null ? '' : n.textContent, 10000, true); extra += '|v' + val; if (CUT) flags += 't' }
      }
      if (m & (ACHK | ASEL | AEXP | APRS | ARO | AREQ)) {
        if (m & ACHK && ROLES[role] & 64 && !(tag === 'input.checkbox' || tag === 'input.radio')) { tmp = attr(n, 'aria-checked'); flags += tmp === 'true' ? 'c' : tmp === 'mixed' ? 'm' : 'u' }
        if (m & ASEL && tag !== 'option') { tmp = attr(n, 'aria-selected'); flags += tmp === 'true' ? 's' : tmp === 'false' ? 'n' : '' }
        if (m & AEXP) { tmp = attr(n, 'aria-expanded'); flags += tmp === 'true' ? 'x' : tmp === 'false' ? 'y' : '' }
        if (m & APRS) { tmp = attr(n, 'aria-pressed'); flags += tmp === 'true' ? 'p' : tmp === 'mixed' ? 'o' : tmp === 'false' ? 'q' : '' }
        if (m & ARO && attr(n, 'aria-readonly') === 'true') flags += 'r';
        if (m & AREQ && attr(n, 'aria-required') === 'true') flags += 'R';
      }
      if (tag === 'summary' && role === 'button') { tmp = elUp(n); if (tmp !== null && tagOf(tmp) === 'slot') tmp = elUp(tmp); flags += tmp !== null && tmp.open ? 'x' : 'y' }
      if (role === 'heading') {
        tmp = m & ALVL ? attr(n, 'aria-level') : null;
        extra += '|l' + (tmp !== null && tmp.length === 1 && tmp >= '1' && tmp <= '9' ? tmp : tag.length === 2 && tag[0] === 'h' ? tag[1] : '2');
      } else if (m & ALVL) { tmp = attr(n, 'aria-level'); if (tmp !== null && tmp.length === 1 && tmp >= '1' && tmp <= '9') extra += '|l' + tmp }
      if (n === active) { flags += 'f'; activeIdx = index }
      if (inter) flags += 'i';
      if (ctx & INERTED) flags += 'I';
      if (m & ID) { tmp = attr(n, 'id'); if (tmp === '') tmp = attr(n, 'data-testid') || ''; if (tmp !== '') extra += '|i' + clean(tmp, 500, false) }
      else if (m & TEST) { tmp = attr(n, 'data-testid') || attr(n, 'data-test-id'); if (tmp) extra += '|i' + clean(tmp, 500, false) }

      // The name. Words that stand in an element which takes no name from its content are given as its text, marked X.
      named = '';
      if (m & (LBY | LABEL | TITLE | PH | APH | ALT) || role !== '') named = nameOf(n, tag === 'input.' + type ? 'input' : tag, role === '' ? 'generic' : role, m);
      nfc = FROMCONTENT;
      FROMCONTENT = false;
      if (only && role !== 'textbox') {
        if (named === '' || blank(named)) {
          tmp = first.data;
          if (!blank(tmp)) { named = clean(tmp.length > 40000 ? first.substringData(0, 40000) : tmp, 10000, true); if (CUT) flags += 't'; flags += 'X'; if (role === '') role = 'text'; extra += '|n' + named }
        } else {
          tmp = clean(named, 10000, true);
          if (CUT) flags += 't';
          extra += '|n' + tmp;
          // Another name than the visible words: the words become a node of their own below.
          if (!nfc && !(ctx & MUTED)) { val = first.data; if (!blank(val) && clean(val, 10000, true) !== tmp) only = false }
        }
        if (only) first = null;
      } else if (named !== '') {
        named = clean(named, nfc ? nameCap(n, role) : 10000, true);
        if (CUT) { flags += 't'; nfc = false }
        if (named !== '') extra += '|n' + named;
      }
      if (tag === 'iframe' || tag === 'frame') {
        fd = F.fd < 8 && frames < 200 ? frameDoc(n) : null;
        if (fd === null) { flags += 'F'; extra += '|o' + num(insetX(n)) + ',' + num(insetY(n)) }
        else { frames++; tmp = getD(fd, 'scrollingElement'); if (tmp && (tmp = scrollMarks(tmp)) !== '') flags += tmp + 'z' }
      } else if (first === null && !only && role === '' && !sh && w > 0 && h > 0 && (hasDash(tag) || HOSTS[tag] === 1 && holdsMore(n, cs))) flags += 'C';
      if (role === '') role = 'generic';
      hit = inter || ROLES[role] & 4 ? 2 : first === null && !sh ? (only ? 1 : 2) : 0;
      if (nfc && hit === 0) hit = 1;
      kind = kindOf(role, tag);
      emit(n, kind, depth, flags, x, y, w, h, F.ox, F.oy, clip, F.pre + path, extra, hit, F.d, F.fr);
      depth++; pre = '';
    } else {
      if (only && (role === '' || ROLES[role] & 32)) continue;
    }
    if (fd !== null) {
      tmp = getD(fd, 'documentElement');
      if (!tmp) continue;
      x += F.ox + insetX(n); y += F.oy + insetY(n);
      val = getD(fd, 'defaultView');
      clip = box(x, y, x + (val ? val.innerWidth : n.clientWidth), y + (val ? val.innerHeight : n.clientHeight), 'k', clip);
      F = {
        up: F, n: get(tmp, 'firstChild'), list: null, li: 0, pre: 'F' + frameToken(fd) + '.', ei: 0, ti: 0, depth: depth, clip: clip, abs: clip, fix: clip, ctx: ctx & (INERTED | ADISABLED),
        cs: null, vis: 1, ox: x, oy: y, el: tmp, d: fd, fr: { el: n, d: F.d, ox: F.ox, oy: F.oy, up: F.fr }, fd: F.fd + 1
      };
      continue;
    }
    if (first === null && !sh && kids === null) continue;
    if (tag === 'select') { if (role === 'combobox' || !emitIt) continue }
    if (tag === 'svg') { if (emitIt && named !== '') continue; ctx |= SVG }
    if (cs.contentVisibility === 'hidden') continue;
    if (emitIt) {
      if (nfc) ctx |= MUTED; else if (named !== '' && !nfc) ctx &= ~MUTED;
      if (ROLES[role] & 8 && nfc) ctx |= MUTED;
      if (inter) ctx |= INTERACTIVE;
      if (flags !== '' && m & ADIS && attr(n, 'aria-disabled') === 'true') ctx |= ADISABLED;
    }
    tmp = F.abs; val = F.fix;
    if (clips) {
      if (ovx || ovy) tmp = box(x + F.ox + n.clientLeft, y + F.oy + n.clientTop, x + F.ox + n.clientLeft + n.clientWidth, y + F.oy + n.clientTop + n.clientHeight, 'k', clip);
      else tmp = box(x + F.ox, y + F.oy, x + w + F.ox, y + h + F.oy, 'K', clip);
      if (pos === '') pos = cs.position;
      clip = tmp;
      tmp = pos !== 'static' ? clip : F.abs;
    } else if (clip !== tmp) { if (pos === '') pos = cs.position; if (pos !== 'static') tmp = clip }
    if (clip !== val && holdsFixed(cs)) { val = clip; tmp = clip }
    if (tag === 'details' && !n.open) {
      first = childTag(n, 'summary');
      sh = null;
      if (first === null) continue;
      // Only the summary shows; its index among the elements is kept.
      i = 0;
      for (s = n.firstElementChild; s && s !== first; s = s.nextElementSibling) i++;
      F = { up: F, n: first, list: { 0: first, 1: undefined }, li: 0, pre: pre + 'D', ei: i, ti: 0, depth: depth, clip: clip, abs: tmp, fix: val, ctx: ctx, cs: cs, vis: 0, ox: F.ox, oy: F.oy, el: n, d: F.d, fr: F.fr, fd: F.fd };
      continue;
    }
    F = {
      up: F, n: kids !== null ? kids[0] : sh ? sh.firstChild : first, list: kids, li: 0, pre: sh ? pre + 'S' : pre, ei: 0, ti: 0, depth: depth, clip: clip, abs: tmp, fix: val,
      ctx: ctx, cs: cs, vis: 2, ox: F.ox, oy: F.oy, el: n, d: F.d, fr: F.fr, fd: F.fd
    };
  }

  // Hit tests come last: a node can be covered by one that follows it.
  var lastH = null, lastOwner = -1, o, b, f, c, total = index, tests = 0;
  for (c = cands; c !== null; c = c.next) {
    if ((++tests & 63) === 0 && deadline !== 0 && perf.now() - t0 > deadline) { trunc |= 4; break }
    b = blocked(c.el, c.d, c.x0 - c.ox, c.y0 - c.oy, c.x1 - c.ox, c.y1 - c.oy, c.text);
    if (b === undefined) continue;
    if (b === null) { // free in its own document; now the frames around it
      x = HITX + c.ox; y = HITY + c.oy;
      for (f = c.fr; f !== null && b === null; f = f.up) b = blockedAt(f.el, f.d, x - f.ox, y - f.oy, false) || null;
      if (b === null) continue;
    }
    if (b !== lastH) { lastH = b; lastOwner = owner(b) }
    covers += (covers === '' ? '' : ';') + c.i + ',' + lastOwner;
  }
  // The emitted node of an element, or a node of its own for one that was not worth emitting until it covered something.
  function owner(h) {
    var i, p = h, q, path = '', k, r, guard = 0;
    for (i = index - 1; i >= 0; i--) if (EL[i] === h) return i;
    for (; p !== null && guard < 12; p = elUp(p), guard++) {
      if (p === html || tagOf(p) === 'body') break;
      for (i = total - 1; i > 0; i--) if (EL[i] === p) return i;
    }
    path = pathOf(h);
    if (path === null) return 0;
    r = call(h, 'getBoundingClientRect');
    i = index;
    emit(h, kindOf('generic', tagOf(h)), 1, 'V', r.x, r.y, r.width, r.height, 0, 0, rootClip, path, '', 0, doc, null);
    return index > i ? i : 0;
  }
  function pathOf(h) { // from the top document, only through plain children: enough for overlays
    var p = h, q, k, s = '', r;
    for (; p !== html; p = q) {
      q = get(p, 'parentNode');
      if (!q || q.localName === undefined) return null;
      k = 0;
      for (r = get(p, 'previousElementSibling'); r; r = get(r, 'previousElementSibling')) k++;
      s = k + (s === '' ? '' : '.' + s);
    }
    return s;
  }
  lastRow = null;
  V = null;
  ROOTS = null;
  return 'AD1|' + docToken(win) + '|' + num(vw) + '|' + num(vh) + '|' + num(win.devicePixelRatio) + '|' + num(win.scrollX) + '|' + num(win.scrollY) + '|' + num(scroller.scrollWidth) + '|' +
    num(scroller.scrollHeight) + '|' + activeIdx + '|' + index + '|' + seen + '|' + skipped + '|' + trunc + '|' + clean('' + win.location.href, 4000, false) + '|' + clean(getD(doc, 'title'), 10000, true) + '~' +
    kindTab + '~' + covers + '~' + out;
}
// Elements that may hold a shadow root without being custom ones. One without children that is as high as its content has
// content that no script sees, unless it is generated. The value of `height` tells, which the computed style does not.
var HOSTS = { __proto__: null, article: 1, aside: 1, blockquote: 1, div: 1, footer: 1, h1: 1, h2: 1, h3: 1, h4: 1, h5: 1, h6: 1, header: 1, main: 1, nav: 1, p: 1, section: 1, span: 1 };
function holdsMore(n, cs) {
  var v;
  if (cs.position === 'absolute' || cs.position === 'fixed') return false;
  try {
    v = n.computedStyleMap().get('height');
    if (v === null || v.value !== 'auto' || n.offsetHeight <= px(cs.paddingTop) + px(cs.paddingBottom) + px(cs.borderTopWidth) + px(cs.borderBottomWidth)) return false;
    v = win.getComputedStyle(n, '::before').content;
    if (v !== 'none' && v !== 'normal') return false;
    v = win.getComputedStyle(n, '::after').content;
    return v === 'none' || v === 'normal';
  } catch (e) { return false }
}
function px(s) { return +sub(s, 0, s.length - 2) }
function hasDash(t) { for (var i = 1; i < t.length; i++) if (t[i] === '-') return true; return false }
