(() => {
'use strict';

const boot = JSON.parse(document.querySelector('script[type="application/json"]').textContent);
const main = document.querySelector('main');
const pageId = Math.random().toString(36).slice(2) + Date.now().toString(36);

let screen = boot.screen;
let knobs = { ...boot.knobs, ...Object.fromEntries(new URLSearchParams(location.search)) };
let generation = boot.generation;
let resets = boot.resets;

// ---------------------------------------------------------------------------------------------------------------------
// The event log. A synchronous request: the event is in the log before its dispatch ends, so neither a navigation nor a
// killed browser can lose it.

function post(kind, element, detail = null, extra = {}) {
  const request = new XMLHttpRequest();
  try {
    request.open('POST', '/~event', false);
    request.setRequestHeader('content-type', 'application/json');
    request.send(JSON.stringify({ page: boot.frame ? '' : pageId, screen, element, kind, detail, trusted: true, ...extra }));
    return request.status === 200 ? Number(request.responseText) : null;
  } catch {
    return null; // the server is gone: nobody is left to tell
  }
}

function nameOf(node) {
  const named = node.closest('[data-log], [id]');
  return named === null ? '' : named.dataset.log ?? named.id;
}

function logTap(event) {
  const target = event.target;
  if (!(target instanceof Element) || target.closest('[data-quiet]')) return;
  const label = target.closest('label');
  if (label !== null && target !== label.control) return; // the control gets a click of its own
  post('tap', nameOf(target), null, { trusted: event.isTrusted });
}
window.addEventListener('click', logTap, true);

// A driver's clear sets the value by script and sends `change` without `input`, so both are heard and compared.
const lastText = new WeakMap();
function logText(event) {
  const field = event.target;
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
  if (field.type === 'checkbox' || field.value === lastText.get(field)) return;
  lastText.set(field, field.value);
  const extra = { trusted: event.isTrusted };
  if (field.value === '') post('clear', nameOf(field), null, extra);
  else if (field.type === 'password') post('text', nameOf(field), { length: [...field.value].length }, extra);
  else post('text', nameOf(field), field.value, extra);
}
window.addEventListener('input', logText);
window.addEventListener('change', logText);

const REST_MS = 100;
const lastOffset = new WeakMap();
const moving = new Map();
function offsetOf(node) {
  const box = node === document ? document.scrollingElement : node;
  return { x: Math.round(box.scrollLeft), y: Math.round(box.scrollTop) };
}
function rememberOffset(node) {
  lastOffset.set(node, offsetOf(node));
}
function moved(node) {
  clearTimeout(moving.get(node));
  moving.delete(node);
  const was = lastOffset.get(node) ?? { x: 0, y: 0 };
  const now = offsetOf(node);
  if (was.x === now.x && was.y === now.y) return null;
  lastOffset.set(node, now);
  return { element: node === document ? 'page' : nameOf(node), detail: now };
}
function rest(node, extra) {
  const move = moved(node);
  if (move !== null) post('scroll', move.element, move.detail, extra);
}
window.addEventListener('scroll', (event) => {
  const node = event.target;
  clearTimeout(moving.get(node));
  moving.set(node, setTimeout(rest, REST_MS, node, { trusted: event.isTrusted }));
}, true);

// ---------------------------------------------------------------------------------------------------------------------
// Building blocks

function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== false && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}
const button = (id, label, onclick = () => {}, props = {}) => el('button', { type: 'button', id, onclick, ...props }, label);
const text = (id, value = '') => el('p', { id }, value);
const knob = (name, fallback) => (Number.isFinite(Number.parseFloat(knobs[name])) ? Number.parseFloat(knobs[name]) : fallback);
const flag = (name) => knobs[name] !== undefined && knobs[name] !== '0' && knobs[name] !== 'false';
function field(id, hint, props = {}) {
  const node = el('input', { id, type: 'text', placeholder: hint, autocomplete: 'off', ...props });
  lastText.set(node, node.value);
  return node;
}

// Everything that a screen starts ends with it.
let endings = [];
function later(ms, task) {
  const timer = setTimeout(task, ms);
  endings.push(() => clearTimeout(timer));
}
function every(ms, task) {
  const timer = setInterval(task, ms);
  endings.push(() => clearInterval(timer));
}
const stack = (...children) => main.append(el('div', { class: 'stack' }, ...children));
const tabbar = () => el('nav', { class: 'tabbar' }, button('tab-home', 'Home'), button('tab-search', 'Search'));

// ---------------------------------------------------------------------------------------------------------------------
// Screens

const screens = {
  home() {
    const grid = el('div', { class: 'homegrid' });
    for (const name of boot.screens) {
      const follow = (event) => {
        event.preventDefault();
        go(name, `open-${name}`, event.isTrusted);
      };
      grid.append(el('a', { id: `open-${name}`, href: `/${name}`, onclick: follow }, name));
    }
    main.append(el('h1', {}, 'Proving Ground'), grid);
  },

  counter() {
    let taps = 0;
    const counter = button('counter', 'Counter: 0', () => { counter.textContent = `Counter: ${++taps}`; });
    const dead = button('dead', 'Dead', () => {}, { 'data-quiet': true });

    // The log holds what is true at every moment: a first tap stands until a second one makes it a double tap.
    let first = null;
    const double = button('double', 'Double', (event) => {
      const extra = { trusted: event.isTrusted };
      if (first !== null && event.timeStamp - first.at <= 400) {
        post('double-tap', 'double', null, { ...extra, replaces: first.seq });
        first = null;
      } else {
        first = { at: event.timeStamp, seq: post('tap', 'double', null, extra) };
      }
    }, { class: 'zone', 'data-quiet': true });

    let down = null;
    const held = (trusted) => {
      clearTimeout(down.timer);
      down.logged = true;
      post('long-press', 'hold', null, { trusted });
    };
    const release = (event) => {
      if (down === null) return;
      clearTimeout(down.timer);
      if (!down.logged && event.timeStamp - down.at >= 500) held(event.isTrusted);
    };
    const hold = button('hold', 'Hold', (event) => {
      const wasHold = down !== null && down.logged;
      down = null;
      if (!wasHold) post('tap', 'hold', null, { trusted: event.isTrusted });
    }, {
      class: 'zone',
      'data-quiet': true,
      onpointerdown: (event) => {
        down = { at: event.timeStamp, logged: false, timer: setTimeout(held, 500, event.isTrusted) };
      },
      onpointerup: release,
      onpointercancel: release,
      oncontextmenu: (event) => event.preventDefault(),
    });
    endings.push(() => clearTimeout(down?.timer));
    stack(counter, dead, double, hold);
  },

  login() {
    let signIns = 0;
    const email = field('email', 'Email', { type: 'email' });
    const password = field('password', 'Password', { type: 'password', autocomplete: 'current-password' });
    const phone = field('phone', 'Phone', { type: 'tel' });
    const city = field('city', 'City', { value: 'City' });
    lastText.set(city, city.value);
    const welcome = text('welcome');
    const count = text('sign-ins', 'Sign-ins: 0');
    const signIn = button('sign-in', 'Sign in', () => {
      welcome.textContent = `Welcome, ${email.value}`;
      count.textContent = `Sign-ins: ${++signIns}`;
    });
    const judge = () => { signIn.disabled = email.value === '' || password.value === ''; };
    for (const node of [email, password]) {
      node.addEventListener('input', judge);
      node.addEventListener('change', judge);
    }
    phone.addEventListener('input', () => {
      const digits = phone.value.replace(/\D/g, '').slice(0, 10);
      if (digits.length <= 3) phone.value = digits;
      else if (digits.length <= 6) phone.value = `(${digits.slice(0, 3)}) ${digits.slice(3)}`;
      else phone.value = `(${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`;
    });
    judge();
    stack(email, password, phone, city, signIn, welcome, count);
  },

  longtext() {
    const note = el('textarea', { id: 'note', placeholder: 'Note', rows: 10 });
    const sentence = 'The quick brown fox jumps over the lazy dog. ';
    note.value = sentence.repeat(Math.ceil(5000 / sentence.length)).slice(0, 5000);
    lastText.set(note, note.value);
    stack(note);
  },

  late() {
    later(knob('delay', 800), () => stack(button('continue', 'Continue', (event) => go('done', 'continue', event.isTrusted))));
  },

  done() {
    main.append(text('done', 'Done'));
  },

  never() {},

  vanish() {
    const gone = button('gone', 'Gone');
    later(knob('appear', 300), () => main.append(gone));
    later(knob('leave', 600), () => gone.remove());
  },

  covered() {
    const sheet = el('div', { id: 'sheet', class: 'sheet', role: 'dialog', 'aria-label': 'Terms of payment' },
      el('p', {}, 'Please accept the terms first.'), button('accept', 'Accept', () => sheet.remove()));
    stack(button('pay', 'Pay'));
    main.append(sheet);
  },

  drawer() {
    main.append(el('div', { class: 'drawer' }, button('settings', 'Settings')));
    if (flag('twin')) main.append(el('div', { role: 'toolbar' }, button('settings-twin', 'Settings')));
  },

  rows() {
    const cells = el('div', { class: 'cells', role: 'list' });
    for (let i = 1; i <= 4; i++) {
      cells.append(el('div', { class: 'cell', role: 'listitem' }, el('span', {}, `Item ${i}`),
        el('button', { type: 'button', 'data-log': `delete-${i}` }, 'Delete')));
    }
    main.append(cells);
  },

  wrapper() {
    main.append(el('div', { id: 'wrapper', class: 'wrapper', role: 'button', tabindex: 0, 'aria-label': 'Save' }, button('control', 'Save')));
  },

  childbutton() {
    main.append(el('div', { id: 'cell', class: 'cell tappable', role: 'button', tabindex: 0, 'aria-label': 'Order 7' },
      el('span', {}, 'Order 7'), button('inner', 'More')));
  },

  list() {
    const list = el('ul', { id: 'list', class: 'scroller', tabindex: 0 });
    for (let i = 1; i <= 200; i++) list.append(el('li', { id: `row-${i}` }, `Row ${i}`));
    main.append(list, tabbar());
  },

  reveal() {
    const size = 20;
    let pages = 0;
    let loading = false;
    const count = el('div', { id: 'pages', class: 'tabbar' });
    const feed = el('ul', { id: 'feed', class: 'scroller', tabindex: 0 });
    const load = () => {
      pages += 1;
      loading = false;
      for (let i = (pages - 1) * size + 1; i <= pages * size; i++) feed.append(el('li', { id: `item-${i}` }, `Item ${i}`));
      count.textContent = `Pages: ${pages}`;
      if (pages === 3) feed.append(el('li', { id: 'feed-end' }, 'End of feed'));
    };
    feed.addEventListener('scroll', () => {
      if (loading || pages === 3 || feed.scrollTop + feed.clientHeight < feed.scrollHeight - 2) return;
      loading = true;
      later(knob('load', 150), load);
    });
    main.append(feed, count);
    load();
  },

  end() {
    const rows = (prefix) => Array.from({ length: 20 }, (_, i) => el('li', {}, `${prefix} ${i + 1}`));
    const ended = el('ul', { id: 'ended', class: 'box', tabindex: 0, 'aria-label': 'Ended' }, ...rows('Line'));
    const refuse = (event) => event.preventDefault();
    const stubborn = el('ul', { id: 'stubborn', class: 'box', tabindex: 0, 'aria-label': 'Stubborn', onkeydown: refuse }, ...rows('Stuck'));
    for (const kind of ['wheel', 'touchmove']) stubborn.addEventListener(kind, refuse, { passive: false });
    stubborn.addEventListener('scroll', () => { stubborn.scrollTop = 0; });
    stack(ended, stubborn);
    ended.scrollTop = ended.scrollHeight;
    rememberOffset(ended);
  },

  toggle() {
    const wifi = button('wifi', 'Wi-Fi', (event) => {
      const on = wifi.getAttribute('aria-checked') !== 'true';
      wifi.setAttribute('aria-checked', String(on));
      post('toggle', 'wifi', on, { trusted: event.isTrusted });
    }, { role: 'switch', 'aria-checked': 'false', 'data-quiet': true });
    const terms = el('input', {
      id: 'terms',
      type: 'checkbox',
      onchange: (event) => post('toggle', 'terms', terms.checked, { trusted: event.isTrusted }),
    });
    const select = (chosen) => () => {
      for (const tab of [one, two]) tab.setAttribute('aria-selected', String(tab === chosen()));
    };
    const one = button('one', 'One', select(() => one), { role: 'tab', 'aria-selected': 'true' });
    const two = button('two', 'Two', select(() => two), { role: 'tab', 'aria-selected': 'false' });
    stack(wifi, el('label', { 'data-quiet': true }, terms, ' Terms'), el('div', { role: 'tablist' }, one, two));
  },

  alert() {
    const result = text('result', 'Result: none');
    const ask = (opener, message) => {
      const yes = window.confirm(message);
      post('alert', opener, { message, button: yes ? 'Delete' : 'Cancel' });
      return yes;
    };
    const one = () => { result.textContent = ask('delete-item', 'Delete item?') ? 'Result: deleted' : 'Result: cancelled'; };
    const two = () => {
      const answers = [ask('delete-two', 'Delete item?'), ask('delete-two', 'Delete the next item?')];
      result.textContent = `Result: ${answers.filter(Boolean).length} deleted`;
    };
    const rename = () => {
      const name = window.prompt('New name?', '');
      post('alert', 'rename', { message: 'New name?', button: name === null ? 'Cancel' : 'OK', value: name });
      result.textContent = name === null ? 'Result: cancelled' : `Result: ${name}`;
    };
    const notice = () => {
      window.alert('Saved');
      post('alert', 'notice', { message: 'Saved', button: 'OK' });
      result.textContent = 'Result: noticed';
    };
    stack(button('delete-item', 'Delete item', one), button('delete-two', 'Delete two', two), button('rename', 'Rename', rename),
      button('notice', 'Notice', notice), result);
    if (knobs.auto !== undefined) later(knob('auto', 500), one);
  },

  keyboard() {
    stack(field('field', 'Field'));
    main.append(tabbar());
  },

  animate() {
    let frame = 0;
    const ticker = text('ticker', 'Frame 0');
    every(50, () => { ticker.textContent = `Frame ${++frame}`; });
    stack(button('still', 'Still'), el('div', { class: 'mover' }), ticker);
  },

  slow() {
    // Whoever asks the page for anything waits with its main thread. The wait is spent on the server, not on a processor.
    // A message comes after what waits by then, so each question meets about one whole wait of its own.
    const cost = knob('cost', 200);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      const request = new XMLHttpRequest();
      try {
        request.open('GET', `/~slow?ms=${cost}`, false);
        request.send();
      } catch {
        return;
      }
      port2.postMessage(null);
    };
    endings.push(() => port1.close());
    stack(button('slow', 'Slow'));
    const start = () => later(50, () => port2.postMessage(null));
    if (document.readyState === 'complete') start();
    else window.addEventListener('load', start, { once: true });
  },

  sparse() {
    // The pixels stay, the tree is its root: a picture of the button with nothing behind it.
    const picture = el('canvas', { width: 320, height: 80, 'aria-hidden': 'true' });
    const pen = picture.getContext('2d');
    pen.font = '16px sans-serif';
    pen.strokeRect(1, 1, 120, 44);
    pen.fillText('Back', 40, 28);
    main.append(picture);
    later(knob('for', 1500), () => picture.replaceWith(button('back', 'Back')));
  },

  deep() {
    let inner = main;
    for (let i = 0; i < knob('depth', 150); i++) {
      const next = el('div', { role: 'group' });
      inner.append(next);
      inner = next;
    }
    inner.append(button('deep', 'Deep'));
  },

  zoo() {
    const request = new XMLHttpRequest();
    request.open('GET', '/~zoo', false);
    request.send();
    main.append(el('div', { class: 'zoo' }, ...JSON.parse(request.responseText).map(([id, label]) => button(id, label))));
  },

  gesture() {
    let strokes = 0;
    let start = null;
    const tracks = new Map();
    const down = new Set();
    const count = text('strokes', 'Strokes: 0');
    const add = (event) => {
      const round = (value) => Math.round(value * 100) / 100;
      tracks.get(event.pointerId).push([round(event.timeStamp - start), round(event.clientX), round(event.clientY)]);
    };
    const lift = (event) => {
      if (!down.delete(event.pointerId)) return;
      add(event);
      if (down.size > 0) return;
      const points = [...tracks.values()];
      const duration = Math.max(...points.map((track) => track.at(-1)[0]));
      tracks.clear();
      post('stroke', 'pad', { pointers: points.length, duration, points, type: event.pointerType, cancelled: event.type === 'pointercancel' },
        { trusted: event.isTrusted });
      count.textContent = `Strokes: ${++strokes}`;
    };
    const pad = el('div', {
      id: 'pad',
      class: 'pad',
      role: 'application',
      'aria-label': 'Pad',
      'data-quiet': true,
      onpointerdown: (event) => {
        if (down.size === 0) start = event.timeStamp;
        down.add(event.pointerId);
        tracks.set(event.pointerId, []);
        add(event);
        try {
          pad.setPointerCapture(event.pointerId);
        } catch {
          // a pointer made by a script can't be captured
        }
      },
      onpointermove: (event) => {
        if (!down.has(event.pointerId)) return;
        const parts = event.getCoalescedEvents?.() ?? [];
        for (const part of parts.length > 0 ? parts : [event]) add(part);
      },
      onpointerup: lift,
      onpointercancel: lift,
      oncontextmenu: (event) => event.preventDefault(),
    });
    main.append(pad, count);
  },

  frames() {
    const host = (id, mode, inner, label) => {
      const node = el('div', { id, 'data-quiet': true });
      const root = node.attachShadow({ mode });
      root.append(button(inner, label, (event) => post('tap', inner, null, { trusted: event.isTrusted })));
      return node;
    };
    main.append(
      el('iframe', { id: 'frame-same', title: 'Same-origin frame', src: '/~frame?name=same' }),
      el('iframe', { id: 'frame-cross', title: 'Cross-origin frame', src: `${boot.cross}/~frame?name=cross` }),
      el('div', { class: 'stack' }, host('host-open', 'open', 'open-button', 'Open shadow'),
        host('host-closed', 'closed', 'closed-button', 'Closed shadow')),
    );
  },

  windows() {
    main.append(el('a', { id: 'open-tab', href: '/opened', target: '_blank' }, 'Open tab'));
  },

  opened() {
    main.append(el('h1', {}, 'Opened'));
    stack(button('in-tab', 'In the tab'));
  },
};

// ---------------------------------------------------------------------------------------------------------------------
// Opening screens

function render() {
  for (const end of endings) end();
  endings = [];
  for (const timer of moving.values()) clearTimeout(timer);
  moving.clear();
  main.replaceChildren();
  window.scrollTo(0, 0);
  rememberOffset(document);
  document.title = screen === 'home' ? 'Proving Ground' : `Proving Ground: ${screen}`;
  main.dataset.screen = screen;
  (screens[screen] ?? (() => main.append(text('unknown', 'No such screen'))))();
}

function go(name, element, trusted) {
  post('navigate', element, name, { trusted });
  screen = name;
  history.pushState(null, '', `/${name}`);
  render();
}

window.addEventListener('popstate', (event) => {
  const name = location.pathname.slice(1) || 'home';
  post('navigate', '', name, { trusted: event.isTrusted });
  screen = name;
  render();
});

// ---------------------------------------------------------------------------------------------------------------------
// The bus: reset and knobs arrive beside the backend. Each message is the whole state, so a merged pair loses nothing.

let bus = null;
function listen() {
  bus = new EventSource(`${boot.bus}/~bus?page=${pageId}`);
  bus.onmessage = (event) => {
    const state = JSON.parse(event.data);
    if (state.generation > generation) {
      generation = state.generation;
      if (state.resets > resets) {
        resets = state.resets;
        screen = state.screen;
        knobs = state.knobs;
        history.replaceState(null, '', `/${screen}`);
      } else {
        knobs = { ...knobs, ...state.knobs };
      }
      render();
    }
    navigator.sendBeacon('/~ack', JSON.stringify({ page: pageId, generation }));
  };
}

if (boot.frame) {
  const labels = { same: 'Same origin', cross: 'Cross origin' };
  screen = 'frames';
  main.append(button(boot.frame, labels[boot.frame]));
} else {
  post('navigate', '', screen, { generation }); // announces the page as well
  render();
  listen();
  window.addEventListener('pagehide', () => {
    for (const node of [...moving.keys()]) { // a page that goes may send no synchronous request
      const move = moved(node);
      if (move !== null) navigator.sendBeacon('/~event', JSON.stringify({ page: '', screen, kind: 'scroll', trusted: true, ...move }));
    }
    bus.close();
    navigator.sendBeacon('/~bye', pageId);
  });
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) listen();
  });
}
})();
