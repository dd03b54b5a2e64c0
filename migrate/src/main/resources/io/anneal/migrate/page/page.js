// The live page: one event a second brings all of now and the points that this page lacks. Nothing here decides anything
// about a migration; the server does, and says no.

const $ = id => document.getElementById(id);
const darkScheme = matchMedia('(prefers-color-scheme: dark)');

/** An element with attributes and children; texts are texts, never markup. */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'onclick') element.addEventListener('click', value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter(child => child != null && child !== ''));
  return element;
}

/** Changes a text only if it is another, so that nothing is announced or repainted for nothing. */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function setHidden(element, hidden) {
  if (element.hidden !== hidden) element.hidden = hidden;
}

// ---- Numbers and times -----------------------------------------------------------------------------------------------

const wholeNumber = new Intl.NumberFormat('en');
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const clockShort = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dated = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' });

const count = value => wholeNumber.format(value);
const plural = (value, one, many) => `${count(value)} ${value === 1 ? one : many}`;

function digits(value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function latency(micros) {
  if (micros == null) return '–';
  if (micros < 1000) return `${digits(micros)} µs`;
  if (micros < 1e6) return `${digits(micros / 1e3)} ms`;
  return `${digits(micros / 1e6)} s`;
}

/** A round number on an axis. */
function latencyTick(micros) {
  const [value, unit] = micros < 1000 ? [micros, 'µs'] : micros < 1e6 ? [micros / 1e3, 'ms'] : [micros / 1e6, 's'];
  return micros === 0 ? '0' : `${Number(value.toPrecision(3))} ${unit}`;
}

const rateTick = perSecond => count(Number(perSecond.toPrecision(3)));

function rate(perSecond) {
  if (perSecond == null) return '–';
  return perSecond >= 10 || perSecond === 0 ? count(Math.round(perSecond)) : perSecond.toFixed(1);
}

function bytes(value) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : digits(value)} ${units[unit]}`;
}

function span(millis) {
  const seconds = Math.max(0, Math.round(millis / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds % 3600 / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor(seconds % 86400 / 3600)} h`;
}

function when(millis, nowMillis) {
  const same = new Date(millis).toDateString() === new Date(nowMillis).toDateString();
  return (same ? clock : dated).format(millis);
}

// ---- What the phases are ---------------------------------------------------------------------------------------------

const O = 'origin';
const T = 'target';
const PHASES = [
  { label: '1', title: 'Origin only', text: 'Nothing has changed yet: the origin is written and answers.', writes: [O], deletes: [O], reads: [O] },
  { label: '2', title: 'Write both', text: 'Every write goes to both, the origin first. The origin answers reads.', writes: [O, T], deletes: [O, T], reads: [O] },
  { label: '3', title: 'Read target', text: 'Reads begin at the target, and go to the origin for what is missing there.', writes: [O, T], deletes: [O, T], reads: [T, O] },
  { label: '3b', title: 'Target first', text: 'Every write goes to both, the target first: it is right where the two differ. The target alone answers reads.', writes: [T, O], deletes: [T, O], reads: [T] },
  { label: '4', title: 'Write target', text: 'The target alone is written and answers. The origin is kept as it was, for the way back.', writes: [T], deletes: [T], reads: [T] },
  { label: '5', title: 'Target only', text: 'The origin is not called any more.', writes: [T], deletes: [T], reads: [T] },
];
const TEST_TEXT = 'Test mode: the origin answers in every phase; the target can neither fail nor slow a call.';
const phaseIndex = label => PHASES.findIndex(phase => phase.label === label);
const GATES = {
  instances: 'Acknowledged by every instance',
  mode: 'One mode',
  backfill: 'Back-fill',
  verification: 'Verification',
  share: 'Whole read share',
  quiet: 'No fallbacks',
  'dirty-target': 'No dirty keys of the target',
  'dirty-origin': 'No dirty keys of the origin',
  reverse: 'Reverse back-fill',
  remembered: 'Written keys are kept',
  returned: 'Nobody wrote the origin alone',
};
/** What meets a gate, if nobody does it in a service. */
const GATE_COMMANDS = {
  backfill: 'anneal migrate backfill',
  verification: 'anneal migrate verify',
  reverse: 'anneal migrate backfill --reverse',
};
const gateTitle = name => GATES[name] ?? name.charAt(0).toUpperCase() + name.slice(1).replace(/-/g, ' ');
const isLast = next => next.gates.some(gate => gate.name === 'last');

// ---- State -----------------------------------------------------------------------------------------------------------

/** How many points each tier keeps: seconds of 5 minutes, 5 seconds of an hour, minutes of a day, half hours of six weeks. */
const TIER_MAX = [300, 720, 1440, 2016];
const WEEKS_SECONDS = 42 * 86400;
const TIER_OF_WINDOW = { 300: 0, 900: 1, 3600: 1, 86400: 2, 604800: 3, [WEEKS_SECONDS]: 3 };
const WINDOW_MIN_SECONDS = 60;

const state = {
  now: null,
  tiers: TIER_MAX.map(() => []),
  stream: 'connecting',
  lostAt: null,
  receivedAt: 0,
  intervalMillis: 1000,
  token: null,
  kind: 'read',
  windowSeconds: 900,
  log: false,
};

function remembered(storage, key) {
  try {
    return storage.getItem(key);
  } catch {
    return null; // a browser may keep nothing
  }
}

function remember(storage, key, value) {
  try {
    if (value == null) storage.removeItem(key);
    else storage.setItem(key, value);
  } catch {
    // then it is asked for again
  }
}

const TOKEN = 'anneal-token';
const WHO = 'anneal-who';

function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given) {
    remember(sessionStorage, TOKEN, given);
    history.replaceState(null, '', location.pathname);
  }
  state.token = given ?? state.token ?? remembered(sessionStorage, TOKEN);
}

// ---- Speaking --------------------------------------------------------------------------------------------------------

function announce(text) {
  $('announce').textContent = text;
}

function announceChanges(before, now) {
  if (!before) return;
  if (before.store.state !== now.store.state) {
    announce({
      ok: 'The phase store answers again.',
      absent: 'The phase store holds no migration of this name.',
      unreachable: 'The phase store does not answer.',
    }[now.store.state] ?? '');
  } else if (before.record && now.record && before.record.version !== now.record.version) {
    announce(before.record.phase === now.record.phase
      ? `Changed within phase ${now.record.phase}.`
      : `Now in phase ${now.record.phase}, by ${now.record.who}.`);
  } else if (before.record && now.record && !before.record.acknowledged && now.record.acknowledged) {
    announce(`Every instance acknowledged phase ${now.record.phase}.`);
  } else if (!before.readiness?.ready && now.readiness?.ready && now.readiness.gates.length > 0) {
    announce(`Ready for the step ${now.readiness.step}.`);
  } else if ((before.counters.mismatches ?? 0) === 0 && (now.counters.mismatches ?? 0) > 0) {
    announce('A first mismatch was found.');
  } else {
    const names = new Set(before.instances.map(instance => instance.name));
    const joined = now.instances.filter(instance => !names.has(instance.name));
    if (joined.length > 0) announce(`${plural(joined.length, 'instance', 'instances')} joined.`);
  }
}

// ---- Banners ---------------------------------------------------------------------------------------------------------

const banners = new Map();

/** Instances that serve and are heard no more. */
const silentOnes = now => now.instances.filter(instance => instance.serves && instance.silent);

/** What is wrong, in a few words each: for the window's title, and for the colour of the page's top. */
function alarms() {
  const now = state.now;
  const silent = now ? silentOnes(now).length : 0;
  return [
    state.stream === 'lost' && 'no connection',
    now?.store.state === 'unreachable' && 'phase store unreachable',
    now?.store.state === 'lost' && 'phase store lost',
    ...Object.keys(now?.failing ?? {}).map(side => `${side} fails`),
    silent > 0 && plural(silent, 'instance silent', 'instances silent'),
  ].filter(Boolean);
}

function drawAlarm() {
  const now = state.now;
  const wrong = alarms();
  const name = now ? now.record ? `${now.name} · phase ${now.record.phase}` : `${now.name} · Anneal migration` : 'Anneal migration';
  const title = wrong.length > 0 ? `⚠ ${wrong.join(', ')} · ${name}` : name;
  if (document.title !== title) document.title = title;
  document.documentElement.dataset.alarm = wrong.length > 0 ? 'bad' : '';
  document.documentElement.dataset.old = String(state.stream === 'lost' || !['ok', 'unasked'].includes(now?.store.state ?? 'ok'));
}

function banner(key, tone, title, text) {
  const known = banners.get(key);
  if (title == null) {
    known?.remove();
    banners.delete(key);
    return;
  }
  const element = known ?? h('p', { class: `banner ${tone}`, role: 'alert' }, h('strong'), ' ', h('span'));
  setText(element.children[0], title);
  setText(element.children[1], text);
  if (!known) {
    banners.set(key, element);
    $('banners').append(element);
  }
}

function drawBanners() {
  const now = state.now;
  if (state.stream === 'lost') {
    banner('stream', 'bad', `No connection to this page's server since ${clock.format(state.lostAt)}.`,
      now ? `Trying again. What is shown is of ${clock.format(now.at)}.` : 'Trying again.');
  } else {
    banner('stream', 'bad', null);
  }
  const store = now?.store;
  if (store?.state === 'unreachable') {
    banner('store', 'bad', `The phase store has not answered since ${when(store.since, now.at)}.`,
      `${now.record ? 'What is shown was known then; instances keep their phase. ' : ''}It said: ${store.message}`);
  } else if (store?.state === 'lost') {
    banner('store', 'bad', `The phase store lost the migration “${now.name}”.`,
      `Instances keep their phase, and none starts. Restore the store, or rebuild the record with: anneal migrate recover --name ${now.name}.`);
  } else if (store?.state === 'absent') {
    banner('store', 'warn', `The phase store holds no migration called “${now.name}”.`,
      `Begin one with: anneal migrate init --name ${now.name}.`);
  } else {
    banner('store', 'bad', null);
  }
  for (const side of ['origin', 'target']) {
    const failing = now?.failing[side];
    const perSecond = lastPoint()?.rates[`${side}Failed`] ?? 0;
    banner(`failing-${side}`, 'bad', failing ? `The ${side} fails since ${when(failing.since, now.at)}.` : null, failing
      ? `${rate(perSecond)} failures a second, seen by ${failing.instances} of ${plural(now.instances.filter(instance => instance.serves).length, 'instance', 'instances')}. Last in ${failing.last.operation}: ${failing.last.cause}`
      : '');
  }
  const silent = now ? silentOnes(now) : [];
  banner('silent', 'bad', silent.length === 0 ? null
    : silent.length === 1 ? `${silent[0].name} is not heard any more.` : `${silent.length} instances are not heard any more.`,
    silent.length === 0 ? '' : `Last heard ${silent.map(instance => `${silent.length > 1 ? `${instance.name} ` : ''}${when(now.at - instance.heardMillis, now.at)}`).slice(0, 8).join(', ')}${silent.length > 8 ? ` and ${silent.length - 8} more` : ''}. It said no goodbye: its process was killed, hangs, or does not reach the phase store.`);
  const unreadable = now?.unreadable ?? [];
  banner('unreadable', 'warn', unreadable.length > 0 ? 'Some of what instances said can’t be read and is left out.' : null,
    unreadable.join(', '));
}

function drawLive() {
  const live = $('live');
  const age = Date.now() - state.receivedAt;
  let text = 'Live';
  let how = state.stream;
  if (how === 'connecting') text = 'Connecting';
  else if (how === 'lost') text = `Disconnected for ${span(Date.now() - state.lostAt)}`;
  else if (age > Math.max(5000, 3 * state.intervalMillis)) {
    how = 'stale';
    text = `Nothing new for ${span(age)}`;
  } else if (state.now.store.state === 'unreachable') {
    how = 'stale';
    text = 'Store unreachable';
  }
  if (live.dataset.state !== how) live.dataset.state = how;
  setText($('live-text'), text);
}

// ---- Phase -----------------------------------------------------------------------------------------------------------

function drawStepper() {
  const now = state.now;
  const current = now.record ? phaseIndex(now.record.phase) : -1;
  const list = $('stepper');
  const key = JSON.stringify([current, now.record?.acknowledged, now.record?.readShare]);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.replaceChildren(...PHASES.map((phase, index) => {
    const how = index === current ? 'now' : index < current ? 'done' : 'ahead';
    const words = { now: 'current', done: 'done', ahead: '' }[how];
    return h('li', { class: 'step', 'data-state': how, 'aria-current': index === current ? 'step' : null },
      h('span', { class: 'step-mark' }, phase.label),
      h('span', { class: 'step-title' }, phase.title),
      h('span', { class: 'step-note' }, how === 'now' && phase.label === '3' && now.record.readShare < 100
        ? `${now.record.readShare} % of reads`
        : ''),
      h('span', { class: 'hidden' }, words ? `, ${words}` : ''));
  }));
}

function route(target, sides, joint, last) {
  const parts = sides.flatMap((side, index) => [
    index === 0 ? null : h('span', {}, joint),
    h('span', { class: `side ${side}` }, side),
  ]);
  target.replaceChildren(...parts.filter(Boolean), ...(last ? [h('span', {}, last)] : []));
}

function drawRoutes(record, test) {
  const box = $('route');
  const key = JSON.stringify([record.phase, record.readShare, test]);
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  const phase = PHASES[phaseIndex(record.phase)];
  if (test) {
    const both = record.phase !== '1';
    const compared = !['1', '2'].includes(record.phase);
    route($('route-writes'), both ? [O, T] : [O], 'and in the background');
    route($('route-deletes'), both ? [O, T] : [O], 'and in the background');
    route($('route-reads'), compared ? [O, T] : [O], 'answers, compared with');
    return;
  }
  const kept = ['4', '5'].includes(phase.label);
  route($('route-writes'), phase.writes, 'then', kept && 'and the key is remembered for the way back');
  route($('route-deletes'), phase.deletes, 'then');
  route($('route-reads'), phase.reads, 'if missing',
    phase.label === '3' && record.readShare < 100 ? `for ${record.readShare} % of keys, the origin for the others` : '');
}

function drawPhase() {
  const now = state.now;
  const record = now.record;
  setText($('name'), now.name);
  setText($('mode'), now.mode === 'TEST' ? 'Test mode' : now.mode === 'MIGRATION' ? 'Migration' : now.mode ?? '');
  setHidden($('mode'), !now.mode);
  drawStepper();
  setHidden($('route'), !record);
  if (!record) {
    setText($('now-title'), now.store.state === 'absent' ? 'There is no such migration' : 'The phase is not known');
    setText($('now-text'), now.store.state === 'absent'
      ? 'Once it is begun it appears here by itself.'
      : 'The phase store was not reached yet. This page keeps trying.');
    setText($('since'), '');
    setText($('acks'), '');
    return;
  }
  const phase = PHASES[phaseIndex(record.phase)];
  const test = now.mode === 'TEST';
  setText($('now-title'), `Phase ${record.phase}: ${phase.title.charAt(0).toLowerCase()}${phase.title.slice(1)}`);
  setText($('now-text'), test ? TEST_TEXT : phase.text);
  drawRoutes(record, test);
  setText($('since'), `Since ${when(record.at, now.at)} (${span(now.at - record.at)}), by ${record.who}${record.why ? `: ${record.why}` : ''}`);
  const serving = now.instances.filter(instance => instance.serves);
  const acknowledged = serving.filter(instance => instance.acknowledged && !instance.silent).length;
  setText($('acks'), serving.length === 0
    ? 'No instance is registered: nobody has to acknowledge.'
    : `Acknowledged by ${acknowledged} of ${plural(serving.length, 'instance', 'instances')} · version ${record.version}`);
  $('acks').dataset.state = acknowledged < serving.length ? 'waiting' : 'ok';
  drawVerified();
}

const DAY_MILLIS = 86400_000;

/** How old the last verification is, and what it covered. */
function drawVerified() {
  const { verified, at, events } = state.now;
  const line = $('verified');
  if (!verified) {
    setText(line, 'Never verified: nobody compared the two sides yet.');
    line.dataset.state = '';
    return;
  }
  const { rows, mismatches, writtenPast, startedMillis, text } = verified.facts;
  const changed = events.filter(event => event.version === verified.version && event.facts.to).at(-1);
  const age = at - verified.at;
  const found = Number(mismatches ?? 0);
  const past = Number(writtenPast ?? 0);
  const parts = [
    rows != null ? `${plural(Number(rows), 'row', 'rows')} compared` : 'it does not say how many rows',
    plural(found, 'mismatch', 'mismatches'),
    past > 0 ? `${plural(past, 'row was', 'rows were')} written past the dual DAO` : null,
    startedMillis != null ? `took ${span(verified.at - Number(startedMillis))}` : null,
    changed ? `in phase ${changed.facts.to}` : null,
  ].filter(Boolean);
  setText(line, `Verified ${span(age)} ago (${when(verified.at, at)}): ${parts.join(', ')}.${text ? ` Covered: ${text}` : ''}`);
  line.dataset.state = found > 0 || past > 0 || Number(rows ?? 1) === 0 ? 'bad' : age > DAY_MILLIS ? 'waiting' : 'ok';
}

function stepName(next) {
  return isLast(next) ? 'No further phase' : `Advance to ${next.to}`;
}

function drawButtons() {
  const now = state.now;
  const usable = state.stream === 'live' && now.record != null && now.store.state === 'ok';
  const next = now.readiness;
  const last = !next || isLast(next);
  setText($('advance'), next ? stepName(next) : 'Advance');
  $('advance').disabled = !usable || last;
  $('rollback').disabled = !usable || now.record.phase === '1';
  $('share').disabled = !usable || !['2', '3'].includes(now.record.phase);
  $('note').disabled = !usable;
  for (const button of document.querySelectorAll('#instances button')) button.disabled = !usable;
  const missing = next?.gates.filter(gate => !gate.met).length ?? 0;
  $('advance').classList.toggle('primary', missing === 0 && !last);
  setText($('unlock'), state.token ? 'Lock changes' : 'Unlock changes');
}

// ---- Lists -----------------------------------------------------------------------------------------------------------

/** Keeps the element of each item, so that focus and selection survive a change. */
function keyed(list, items, keyOf, make, update) {
  const known = new Map([...list.children].map(child => [child.dataset.key, child]));
  const wanted = items.map(item => {
    const key = keyOf(item);
    const element = known.get(key) ?? make(item);
    element.dataset.key = key;
    update(element, item);
    return element;
  });
  const keep = new Set(wanted);
  for (const child of [...list.children]) if (!keep.has(child)) child.remove();
  wanted.forEach((element, index) => {
    if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null);
  });
}

function empty(list, text, tag = 'li') {
  const element = list.children.length === 1 && list.firstElementChild.classList.contains('empty')
    ? list.firstElementChild
    : h(tag, { class: 'empty' });
  setText(element, text);
  if (element.parentElement !== list || list.children.length !== 1) list.replaceChildren(element);
}

function part(element, name) {
  return element.querySelector(`[data-part="${name}"]`);
}

const CHECK = 'M4 10.5 8 14.5 16 5.5';
const RING = 'M10 4a6 6 0 1 1 0 12a6 6 0 1 1 0-12M10 7v3.5M10 13v.01';

function mark(path) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('class', 'gate-mark');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

/** With moments as the rest of the page says them, and without the command's option where the page has a button. */
function toldHere(text) {
  return text.replace(/: anneal migrate dead [^;]*/g, '').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, moment => when(Date.parse(moment), state.now.at));
}

function gateItem(gate) {
  return h('li', { class: 'gate', 'data-met': String(gate.met) },
    mark(gate.met ? CHECK : RING),
    h('span', { class: 'gate-name' }, gateTitle(gate.name), h('span', { class: 'hidden' }, gate.met ? ': met' : ': not met')),
    h('span', { class: 'gate-evidence' }, toldHere(gate.evidence)));
}

function drawGates() {
  const next = state.now.readiness;
  const list = $('gates');
  if (!next) {
    setText($('ready-title'), 'Ready for the next phase');
    setText($('ready-count'), '');
    empty(list, 'Not known without a phase record.');
    return;
  }
  const last = isLast(next);
  setText($('ready-title'), last ? 'Ready for the next phase' : `Ready for phase ${next.to}`);
  setText($('ready-count'), last ? '' : `${next.gates.filter(gate => gate.met).length} of ${next.gates.length} met`);
  if (last) {
    empty(list, 'This is the last phase.');
    return;
  }
  if (next.gates.length === 0) {
    empty(list, 'This step has no conditions.');
    return;
  }
  keyed(list, next.gates, gate => `${gate.name} ${gate.met}`, gateItem,
    (element, gate) => setText(element.querySelector('.gate-evidence'), toldHere(gate.evidence)));
}

function instanceState(instance) {
  if (instance.silent) {
    return ['silent', instance.silentMillis < 0 ? `clock ahead by ${span(-instance.silentMillis)}` : `silent for ${span(instance.silentMillis)}`];
  }
  if (!instance.serves) return ['', instance.kind];
  if (instance.acknowledged) return ['ok', 'acknowledged'];
  if (instance.heldUp) return ['waiting', `held up: ${instance.heldUp}`];
  if (instance.version !== state.now.record?.version) return ['waiting', `still acts by phase ${instance.phase ?? '?'}`];
  return ['waiting', 'finishing earlier calls'];
}

const failuresOf = instance => (instance.rates.originFailed ?? 0) + (instance.rates.targetFailed ?? 0);
const dirtyOf = instance => (instance.dirty.origin ?? 0) + (instance.dirty.target ?? 0);

/** Who needs somebody first. */
function urgency(instance) {
  if (instance.silent || instance.stale) return 0;
  if (failuresOf(instance) > 0) return 1;
  return instance.acknowledged ? 3 : 2;
}

const INSTANCE_COLUMNS = [
  ['failures', 'Failures/s'],
  ['origin', 'Origin reads, p50 / p99'],
  ['target', 'Target reads, p50 / p99'],
  ['dirty', 'Keys to copy'],
  ['heard', 'Last heartbeat'],
];

function instanceRow(instance) {
  return h('tr', { class: 'instance' },
    h('th', { scope: 'row' },
      h('span', { class: 'instance-name' }, instance.name),
      h('span', { class: 'instance-facts', 'data-part': 'facts' })),
    h('td', {}, h('span', { class: 'instance-state', 'data-part': 'state' }),
      h('button', { type: 'button', class: 'small', 'data-part': 'dead', onclick: () => askDead(instance.name), 'aria-label': `Declare ${instance.name} dead` }, 'Declare dead…')),
    ...INSTANCE_COLUMNS.map(([name, label]) => h('td', { class: 'number', 'data-part': name, 'data-label': label })));
}

function fillInstance(row, instance) {
  const { at } = state.now;
  const [how, text] = instanceState(instance);
  part(row, 'state').dataset.state = how;
  setText(part(row, 'state'), text);
  setText(part(row, 'facts'), [
    !instance.serves && jobTitle(instance.kind),
    instance.host && `${instance.host}${instance.pid ? `, pid ${instance.pid}` : ''}`,
    instance.startedAt && `up ${span(at - instance.startedAt)}`,
  ].filter(Boolean).join(' · '));
  setHidden(part(row, 'dead'), !instance.silent);
  const cell = (name, value, tone) => {
    setText(part(row, name), value);
    part(row, name).dataset.tone = tone;
  };
  const failures = ['origin', 'target'].filter(side => instance.rates[`${side}Failed`] > 0);
  const gone = instance.stale ? 'gone' : '';
  cell('failures', failures.length === 0 ? '0' : failures.map(side => `${rate(instance.rates[`${side}Failed`])} of the ${side}`).join(', '),
    failures.length > 0 ? 'bad' : gone);
  for (const side of ['origin', 'target']) {
    const reads = instance.latencies[side];
    cell(side, reads ? `${latency(reads[0])} / ${latency(reads[1])}` : '–', gone);
  }
  cell('dirty', count(dirtyOf(instance)), dirtyOf(instance) > 0 && instance.dirty.target > 0 ? 'warn' : gone);
  const { store } = state.now;
  const heardMillis = instance.heardMillis + (store.state === 'ok' ? 0 : at - store.since);
  cell('heard', heardMillis < 1500 && store.state === 'ok' ? 'now' : `${span(heardMillis)} ago`, instance.stale ? 'bad' : '');
}

function drawInstances() {
  const instances = state.now.instances.filter(instance => instance.serves || instance.silent);
  const silent = instances.filter(instance => instance.silent || instance.stale).length;
  const failing = instances.filter(instance => failuresOf(instance) > 0).length;
  setText($('instances-count'), instances.length === 0 ? '' : [plural(instances.length, 'instance', 'instances'),
    silent > 0 && `${silent} silent`, failing > 0 && `${failing} with failures`].filter(Boolean).join(' · '));
  $('instances-count').dataset.tone = silent + failing > 0 ? 'bad' : '';
  setHidden($('instances-none'), instances.length > 0);
  setHidden($('instances-table'), instances.length === 0);
  const sorted = [...instances].sort((a, b) => urgency(a) - urgency(b) || a.name.localeCompare(b.name, 'en', { numeric: true }));
  keyed($('instances'), sorted, instance => instance.name, instanceRow, fillInstance);
  const box = $('instances-table');
  box.tabIndex = box.scrollHeight > box.clientHeight + 1 ? 0 : -1;
}

const jobTitle = kind => ({ backfill: 'Back-fill', verify: 'Verification' }[kind] ?? kind);

function drawJobs() {
  const { jobs, at } = state.now;
  setHidden($('jobs-card'), jobs.length === 0);
  keyed($('jobs'), jobs, job => job.instance,
    job => h('div', { class: 'job' },
      h('p', { class: 'job-head' }, h('b', { 'data-part': 'title' }), h('span', { 'data-part': 'left' })),
      h('progress', { max: 1, 'data-part': 'bar', 'aria-label': job.kind }),
      h('p', { class: 'job-facts', 'data-part': 'facts' })),
    (element, job) => {
      const told = name => (job.facts[name] == null ? null : Number(job.facts[name]));
      setText(part(element, 'title'), jobTitle(job.kind));
      setText(part(element, 'left'), job.silent ? `silent since ${when(job.at, at)}`
        : told('secondsLeft') != null ? `${span(told('secondsLeft') * 1000)} left` : '');
      const bar = part(element, 'bar');
      if (told('rangesTotal') > 0) bar.value = told('rangesDone') / told('rangesTotal');
      else bar.removeAttribute('value');
      const facts = [
        told('rangesTotal') > 0 && `${count(told('rangesDone'))} of ${plural(told('rangesTotal'), 'range', 'ranges')}`,
        told('rows') != null && plural(told('rows'), 'row', 'rows'),
        told('bytes') != null && bytes(told('bytes')),
        told('mismatches') != null && plural(told('mismatches'), 'mismatch', 'mismatches'),
        told('startedMillis') != null && `since ${when(told('startedMillis'), at)}`,
      ];
      setText(part(element, 'facts'), facts.filter(Boolean).join(' · '));
    });
}

const TILES = [
  ['Fallback hits', now => now.counters.fallback_hits, 'warn'],
  ['Fallback misses', now => now.counters.fallback_misses, ''],
  ['Fallbacks on errors', now => now.counters.fallback_errors, 'warn'],
  ['Repaired by reads', now => now.counters.repaired, ''],
  ['Keys the target lacks', now => now.dirty.target, 'warn'],
  ['Keys the origin lacks', now => now.dirty.origin, ''],
  ['Origin failed', now => now.counters.origin_failed, 'bad'],
  ['Target failed', now => now.counters.target_failed, 'bad'],
  ['Origin unknown', now => now.counters.origin_unknown, 'bad'],
  ['Target unknown', now => now.counters.target_unknown, 'bad'],
  ['Dropped writes', now => now.counters.dropped_writes, 'bad'],
  ['Dropped reads', now => now.counters.dropped_reads, 'warn'],
  ['Journaled keys', now => now.counters.journaled, ''],
  ['Re-driven keys', now => now.counters.redriven, ''],
];

function drawTiles() {
  const now = state.now;
  keyed($('tiles'), TILES, tile => tile[0],
    tile => h('div', { class: 'tile' }, h('dt', {}, tile[0]), h('dd')),
    (element, [, value, tone]) => {
      const number = now.instances.length === 0 ? null : value(now);
      setText(element.children[1], number == null ? '–' : count(number));
      element.dataset.tone = number > 0 ? tone : '';
    });
}

function drawMismatches() {
  const { mismatches, counters, at } = state.now;
  const compared = counters.compared ?? 0;
  setText($('mismatch-count'), compared === 0 && (counters.mismatches ?? 0) === 0 ? ''
    : `${count(counters.mismatches ?? 0)} of ${plural(compared, 'comparison', 'comparisons')}`);
  const list = $('mismatches');
  if (mismatches.length === 0) {
    empty(list, (counters.mismatches ?? 0) > 0 ? 'The instances that found them are gone.'
      : compared > 0 ? 'All answers compared so far were equal.' : 'No answers have been compared yet.', 'p');
    return;
  }
  drawTroubles(list, mismatches, item => item.cause, item => [
    item.key == null ? null : h('p', { class: 'trouble-text' }, `Last: ${item.operation} of key `, h('code', {}, item.key)),
    ...item.fields.map(field => h('div', { class: 'diff' },
      h('span', { class: 'diff-path' }, field.path || '(the answer itself)'),
      h('span', { class: 'diff-value origin' }, h('i', {}, 'origin'), h('span', {}, field.origin)),
      h('span', { class: 'diff-value target' }, h('i', {}, 'target'), h('span', {}, field.target))))]);
}

function drawFailures() {
  const { failures, instances } = state.now;
  if (failures.length === 0) {
    empty($('failures'), instances.length === 0 ? 'No instance is registered.' : 'No call of either side failed since the instances started.', 'p');
    return;
  }
  drawTroubles($('failures'), failures, item => item.cause.split(':')[0].split('.').at(-1), item => [
    h('p', { class: 'trouble-text' }, `Last in ${item.operation}: `, h('code', {}, item.cause))]);
}

/** One of each cause, the newest first: how often, from when to when, and the last one of it. */
function drawTroubles(list, troubles, title, example) {
  const { at } = state.now;
  keyed(list, [...troubles].reverse(), item => `${item.side} ${title(item)}`,
    item => h('div', { class: 'trouble' },
      h('p', { class: 'trouble-head' },
        item.side == null ? null : h('span', { class: `side ${item.side}` }, item.side),
        h('b', {}, title(item)), h('span', { class: 'trouble-count', 'data-part': 'count' })),
      h('p', { class: 'trouble-when', 'data-part': 'when' }),
      h('div', { 'data-part': 'example' })),
    (element, item) => {
      setText(part(element, 'count'), item.count === 1 ? 'once' : `${count(item.count)} times`);
      setText(part(element, 'when'), item.count === 1 ? when(item.at, at) : `first ${when(item.first, at)}, last ${when(item.at, at)}`);
      const shown = part(element, 'example');
      const key = JSON.stringify([item.at, item.key, item.cause, item.fields]);
      if (shown.dataset.key !== key) {
        shown.dataset.key = key;
        shown.replaceChildren(...example(item).filter(Boolean));
      }
    });
}

function eventTitle(event) {
  const facts = event.facts;
  const rows = facts.rows != null ? `: ${plural(Number(facts.rows), 'row', 'rows')}` : '';
  switch (event.kind) {
    case 'created': return `Begun, in phase ${facts.to}`;
    case 'phase': return `Phase ${facts.from} to ${facts.to}`;
    case 'back': return `Back from phase ${facts.from} to ${facts.to}`;
    case 'share': return `Read share ${facts.readShare} %`;
    case 'backfill': return `Back-fill done${rows}`;
    case 'verification': return `Verified${rows}, ${plural(Number(facts.mismatches ?? 0), 'mismatch', 'mismatches')}`;
    case 'reverse_backfill': return `Reverse back-fill${rows}, ${plural(Number(facts.mismatches ?? 0), 'mismatch', 'mismatches')}`;
    case 'finished': return 'Finished, no way back';
    case 'instance_dead': return `Instance ${facts.instance ?? ''} declared dead`;
    case 'instance_left': return `Instance ${facts.instance ?? ''} ended`;
    case 'instance_returned': return `Instance ${facts.instance ?? ''} was not dead, verify again`;
    case 'failing': return `The ${facts.subject} began to fail`;
    case 'silent': return `Instance ${facts.subject} fell silent without goodbye`;
    case 'restarted': return `Instance ${facts.subject} started again, its last run ended without goodbye`;
    case 'unreachable': return 'The phase store did not answer';
    case 'lost': return 'The phase store lost the migration';
    case 'over': return { failing: `The ${facts.subject} works again`, silent: `Instance ${facts.subject} is heard again` }[facts.began] ?? 'The phase store answers again';
    default: return 'Note';
  }
}

/** Short enough for a chart. */
function eventFlag(event) {
  switch (event.kind) {
    case 'created': return '1';
    case 'phase': case 'back': return `${event.facts.from} → ${event.facts.to}`;
    case 'share': return `${event.facts.readShare} %`;
    case 'backfill': return 'back-fill';
    case 'verification': return 'verified';
    case 'reverse_backfill': return 'reverse back-fill';
    case 'instance_dead': return 'dead';
    case 'instance_left': return 'ended';
    case 'instance_returned': return 'not dead';
    case 'failing': return `${event.facts.subject} fails`;
    case 'silent': case 'restarted': return 'killed';
    case 'unreachable': case 'lost': return 'store lost';
    case 'over': return { failing: 'works', silent: 'heard' }[event.facts.began] ?? 'store back';
    default: return 'note';
  }
}

const isBad = event => ['instance_dead', 'failing', 'silent', 'restarted', 'unreachable', 'lost'].includes(event.kind);

function drawEvents() {
  const { events, at } = state.now;
  const list = $('events');
  if (events.length === 0) {
    empty(list, 'Nothing has happened yet.');
    return;
  }
  keyed(list, [...events].reverse().slice(0, 200), event => `${event.at} ${event.kind} ${event.version} ${event.who} ${event.facts.subject ?? ''} ${event.facts.began ?? ''} ${event.facts.text ?? ''}`,
    event => h('li', { class: 'event', 'data-kind': { phase: 'phase', created: 'phase', back: 'back' }[event.kind] ?? (isBad(event) ? 'bad' : 'note') },
      h('span', { class: 'event-title' }, eventTitle(event)),
      event.facts.text ? h('span', { class: 'event-text' }, event.facts.text) : null,
      h('span', { class: 'event-by' }, h('time', { datetime: new Date(event.at).toISOString() }, dated.format(event.at)), ` · ${event.who}`)),
    () => {});
  list.tabIndex = list.scrollHeight > list.clientHeight ? 0 : -1;
}

// ---- Charts ----------------------------------------------------------------------------------------------------------

let colours = {};

function readColours() {
  const style = getComputedStyle(document.documentElement);
  const names = ['ink', 'soft', 'line', 'card', 'origin', 'target', 'good', 'warn', 'bad', 'p50', 'p99', 'p999', 'band', 'grid', 'marker', 'sans'];
  colours = Object.fromEntries(names.map(name => [name, style.getPropertyValue(`--${name}`).trim()]));
}

const PERCENTILES = [
  { name: 'p50', colour: 'p50', width: 1.5, format: latency, value: (point, key) => point.latencies[key]?.[0] },
  { name: 'p99', colour: 'p99', width: 2, format: latency, value: (point, key) => point.latencies[key]?.[1] },
  { name: 'p999', colour: 'p999', width: 1, format: latency, value: (point, key) => point.latencies[key]?.[2] },
];
const ofRate = name => point => 'reads' in point.rates ? point.rates[name] ?? 0 : null;
const RATES = [
  { name: 'reads/s', colour: 'p99', width: 1.75, format: rate, value: ofRate('reads') },
  { name: 'writes/s', colour: 'p999', width: 1.5, format: rate, value: ofRate('writes') },
  { name: 'deletes/s', colour: 'p50', width: 1.5, format: rate, value: ofRate('deletes') },
];
const TROUBLES = [
  { name: 'fallback hits/s', colour: 'warn', width: 1.75, format: rate, value: ofRate('fallbackHits') },
  { name: 'misses/s', colour: 'p50', width: 1.25, format: rate, value: ofRate('fallbackMisses') },
  { name: 'mismatches/s', colour: 'bad', width: 1.5, format: rate, value: ofRate('mismatches') },
  { name: 'dropped/s', colour: 'p99', width: 1.25, format: rate, value: ofRate('dropped') },
];
const FAILURES = [
  { name: 'of the target', colour: 'bad', width: 2, format: rate, value: ofRate('targetFailed') },
  { name: 'of the origin', colour: 'origin', width: 2, format: rate, value: ofRate('originFailed') },
];
const ofSide = (side, colour) => ({ name: side, colour, width: 1.25, format: latency, value: (point, key) => point.latencies[`${key}.${side}`]?.[1] });
const P99_OF_SIDES = [ofSide('origin', 'origin'), ofSide('target', 'target')];

const charts = [];
const AXIS_WIDTH = 62;
/** What the charts of the chosen window show, and those of all weeks. */
const views = { window: null, weeks: null };
const shared = { max: 0, min: 1 };

/** The tier of the window, or a finer one while that still has everything and is not too dense. */
function coarsestNeeded(seconds) {
  let tier = TIER_OF_WINDOW[seconds];
  while (tier > 0 && state.tiers[tier - 1].length < TIER_MAX[tier - 1] / 2) tier--;
  return tier;
}

const lastPoint = () => state.tiers[0].at(-1);

/** The points of a window, in order of time whatever the server's clock did; those that are too new for its tier come from the finer ones. */
function viewOf(seconds) {
  const to = state.now ? state.now.at : Date.now();
  const from = to - seconds * 1000;
  let points = [];
  let after = from;
  for (let tier = coarsestNeeded(seconds); tier >= 0; tier--) {
    const more = state.tiers[tier].filter(point => point.at > after && point.at <= to).sort((a, b) => a.at - b.at);
    points = points.concat(more);
    if (more.length > 0) after = more[more.length - 1].at;
  }
  const first = points.length > 0 ? points[0].at : to;
  return {
    points,
    times: points.map(point => point.at / 1000),
    from: Math.max(from, Math.min(first, to - WINDOW_MIN_SECONDS * 1000)) / 1000,
    to: to / 1000,
  };
}

function takeViews() {
  views.window = viewOf(state.windowSeconds);
  views.weeks = viewOf(WEEKS_SECONDS);
}

const spanOf = view => view.to - view.from;

/** Drawn from the last series to the first, so that the first lies on top. */
function columns(chart) {
  const view = chart.view();
  return [view.times, ...chart.drawn.map(line => view.points.map(point => line.value(point, chart.key()) ?? null))];
}

function largest(columnsOf) {
  let max = 0;
  for (const column of columnsOf.slice(1)) for (const value of column) if (value > max) max = value;
  return max;
}

/** Of a linear scale: few spikes, as of a start, must not press all else flat. Infinity if nothing is cut off. */
function capOf(columnsOf) {
  const values = columnsOf.slice(1).flat().filter(value => value != null).sort((a, b) => a - b);
  if (values.length < 20) return Infinity;
  const usual = values[Math.floor(values.length * 0.95)];
  return values[values.length - 1] > 4 * usual ? 2 * usual : Infinity;
}

function smallest(columnsOf) {
  let min = Infinity;
  for (const column of columnsOf.slice(1)) for (const value of column) if (value > 0 && value < min) min = value;
  return min;
}

/** Dated events as lines across the plot; their names stand above it where there is room. */
function markers(chart) {
  const withNames = chart.names;
  return u => {
    const visible = chart.view();
    const withDate = spanOf(visible) > 86400;
    const { ctx, bbox } = u;
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.font = `600 ${11 * ratio}px ${colours.sans}`;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'alphabetic';
    const shown = (state.now?.events ?? [])
      .map(event => ({ event, at: event.at / 1000, strong: ['phase', 'back', 'created'].includes(event.kind) || isBad(event) }))
      .filter(({ at }) => at >= visible.from && at <= visible.to)
      .map(each => ({ ...each, x: Math.round(u.valToPos(each.at, 'x', true)) }));
    for (const { event, strong, x } of shown) {
      ctx.strokeStyle = isBad(event) ? colours.bad : colours.marker;
      ctx.globalAlpha = strong ? 0.85 : 0.5;
      ctx.lineWidth = ratio;
      ctx.setLineDash(strong ? [] : [2 * ratio, 3 * ratio]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top - (withNames ? 4 * ratio : 0));
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
    // Changes of phase are named first, the others where there is room left.
    const taken = [];
    for (const { event, strong, x } of withNames ? [...shown].sort((a, b) => b.strong - a.strong) : []) {
      const text = strong || withDate ? `${eventFlag(event)}  ${(withDate ? day : clockShort).format(event.at)}` : eventFlag(event);
      const width = ctx.measureText(text).width;
      const left = Math.min(Math.max(x - width / 2, bbox.left), bbox.left + bbox.width - width);
      const room = 10 * ratio;
      if (taken.some(([from, to]) => left < to + room && left + width + room > from)) continue;
      taken.push([left, left + width]);
      ctx.fillStyle = isBad(event) ? colours.bad : strong ? colours.ink : colours.soft;
      ctx.fillText(text, left, bbox.top - 7 * ratio);
    }
    ctx.restore();
  };
}

function makeChart({ id, series, key = () => null, view = windowView, height, format, label, range, names = false, band = false, note = () => '', zero = null }) {
  const figure = $(id);
  const chart = { figure, plot: figure.querySelector('.plot'), legend: figure.querySelector('.legend'), series, drawn: [...series].reverse(), key, view, height, format, label, range, names, band, note, zero, cap: Infinity, cut: figure.querySelector('.cut') };
  chart.noteElement = h('div', { class: 'plot-note' });
  chart.plot.tabIndex = 0;
  chart.plot.setAttribute('role', 'img');
  chart.values = series.map(line => {
    const value = h('b', {}, '–');
    const item = h('span', { class: 'key' }, `${line.name} `, value);
    item.dataset.colour = line.colour;
    chart.legend.append(item);
    return value;
  });
  chart.time = h('span', { class: 'at' });
  chart.legend.append(chart.time);
  chart.plot.addEventListener('keydown', event => moveCursor(chart, event));
  chart.plot.addEventListener('blur', () => charts.forEach(each => each.u.setCursor({ left: -10, top: -10 })));
  charts.push(chart);
  build(chart);
}

function build(chart) {
  chart.u?.destroy();
  for (const item of chart.legend.querySelectorAll('.key')) item.style.setProperty('--key', colours[item.dataset.colour]);
  const log = state.log && chart.range === 'shared';
  const axis = { stroke: colours.soft, grid: { stroke: colours.grid, width: 1 }, ticks: { show: false }, font: `11px ${colours.sans}` };
  const narrow = chart.plot.clientWidth < 480;
  chart.u = new uPlot({
    width: Math.max(200, chart.plot.clientWidth),
    height: chart.height,
    padding: [chart.names ? 22 : 8, 4, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 }, sync: { key: chart.view === weeksView ? 'weeks' : 'charts', setSeries: false } },
    scales: {
      x: { time: true, range: () => [chart.view().from, chart.view().to] },
      y: log
        ? { distr: 3, range: () => [Math.pow(10, Math.floor(Math.log10(shared.min || 1))), Math.pow(10, Math.ceil(Math.log10(shared.max || 10)))] }
        : { range: chart.range === 'shared' ? () => [0, shared.max > 0 ? shared.max * 1.06 : 1000] : (u, min, max) => [0, max > 0 ? Math.min(max * 1.1, chart.cap) : 1] },
    },
    axes: [
      { ...axis, space: narrow ? 56 : 50, size: 26, gap: 4, values: (u, ticks, axisIndex, space, increment) => ticks.map(tick => timeTick(u, chart.view(), tick, increment)) },
      { ...axis, size: AXIS_WIDTH, gap: 6, space: 34, values: (u, ticks) => ticks.map(tick => (tick == null ? '' : chart.format(tick))) },
    ],
    series: [{}, ...chart.drawn.map(line => ({ stroke: colours[line.colour], width: line.width, points: { show: false }, spanGaps: false }))],
    bands: chart.band ? [{ series: [2, 3], fill: colours.band }] : [],
    hooks: { draw: [markers(chart)], setCursor: [() => drawLegend(chart)] },
  }, columns(chart), chart.plot);
  chart.plot.append(chart.noteElement);
  drawLegend(chart);
}

/** Not the last ones, of which the edge would cut a part off. */
function timeTick(u, view, tick, increment) {
  const at = new Date(tick * 1000);
  const midnight = at.getHours() === 0 && at.getMinutes() === 0;
  const format = increment < 60 ? clock : increment >= 86400 || midnight && spanOf(view) > 43200 ? day : clockShort;
  const left = (1 - (tick - view.from) / spanOf(view)) * (u.width - AXIS_WIDTH);
  return left < (format === clockShort ? 12 : 22) ? '' : format.format(at);
}

function moveCursor(chart, event) {
  const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
  const visible = chart.view();
  if (step == null || visible.times.length === 0) return;
  event.preventDefault();
  const last = visible.times.length - 1;
  const from = chart.u.cursor.idx ?? last;
  const index = Math.max(0, Math.min(last, from + step));
  const left = chart.u.valToPos(visible.times[index], 'x');
  charts.filter(each => each.view === chart.view).forEach(each => each.u.setCursor({ left, top: 10 }));
  chart.plot.setAttribute('aria-label', `${chart.label}, ${describe(chart, index)}`);
}

function valueAt(chart, line, index) {
  const { points } = chart.view();
  return index >= 0 && index < points.length ? line.value(points[index], chart.key()) : null;
}

function describe(chart, index) {
  const values = chart.series.map(line => `${line.name} ${line.format(valueAt(chart, line, index))}`);
  return `at ${momentOf(chart, index)}: ${values.join(', ')}`;
}

function momentOf(chart, index) {
  const { times } = chart.view();
  return (spanOf(chart.view()) > 43200 ? dated : clock).format(times[index] * 1000);
}

/** Of the point under the cursor, or else of the last one. */
function drawLegend(chart) {
  if (!chart.u) return;
  const under = chart.u.cursor.left >= 0 ? chart.u.cursor.idx : null;
  const index = under ?? chart.view().times.length - 1;
  chart.series.forEach((line, i) => setText(chart.values[i], line.format(valueAt(chart, line, index))));
  setText(chart.time, under == null || under >= chart.view().times.length ? '' : momentOf(chart, under));
}

function drawCharts() {
  takeViews();
  drawFaster();
  const latencyCharts = charts.filter(chart => chart.range === 'shared');
  const data = new Map(charts.map(chart => [chart, columns(chart)]));
  shared.max = Math.max(...latencyCharts.map(chart => largest(data.get(chart))));
  shared.min = Math.min(...latencyCharts.map(chart => smallest(data.get(chart))));
  if (!Number.isFinite(shared.min)) shared.min = 1;
  for (const chart of charts) {
    const columnsOf = data.get(chart);
    chart.cap = chart.view === weeksView ? capOf(columnsOf) : Infinity;
    if (chart.cap < Infinity) setText(chart.cut, `Spikes up to ${latency(largest(columnsOf))} are cut off.`);
    else if (chart.cut) setText(chart.cut, '');
    chart.u.setData(columnsOf, true);
    drawLegend(chart);
    const none = columnsOf.slice(1).every(column => column.every(value => value == null));
    const zero = chart.zero && !none && largest(columnsOf) === 0;
    setText(chart.noteElement, none ? chart.note() : zero ? chart.zero : '');
    // Not each second, and not while somebody reads it.
    if (document.activeElement !== chart.plot && Date.now() - (chart.labelledAt ?? 0) > 10_000) {
      chart.labelledAt = Date.now();
      chart.plot.setAttribute('aria-label', none ? `${chart.label}: ${chart.note()}`
        : `${chart.label}, ${describe(chart, chart.view().times.length - 1)}. Arrow keys move through it.`);
    }
  }
}

function rebuildCharts() {
  readColours();
  takeViews();
  charts.forEach(build);
  if (state.now) drawCharts();
}

function noLatency(side) {
  return () => {
    const now = state.now;
    if (!now) return 'Waiting for the first heartbeats.';
    if (now.instances.filter(instance => instance.serves && !instance.silent).length === 0) return 'No instance is heard: nothing to draw.';
    const phase = PHASES[phaseIndex(now.record?.phase)];
    if (state.kind === 'batch') return 'No batches were measured in this time.';
    const sides = phase && (state.kind === 'read' ? phase.reads : phase.writes);
    if (sides && !sides.includes(side) && now.mode !== 'TEST') return `The ${side} gets no ${state.kind === 'read' ? 'reads' : 'writes'} in phase ${phase.label}.`;
    return `No ${state.kind === 'read' ? 'reads' : 'writes'} of the ${side} were measured in this time.`;
  };
}

const windowView = () => views.window;
const weeksView = () => views.weeks;
const FIGURES = [
  { id: 'chart-weeks-read', key: 'read', label: 'p99 of single reads over weeks' },
  { id: 'chart-weeks-batch', key: 'batch', label: 'p99 of batches over weeks' },
];

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/**
 * In words, by the medians of the points' p99: of those in which both sides were read alike, if there are any. A side that was asked
 * for a few keys only, as the origin for what the target lacks, says nothing of what it would be with all of them.
 */
function fasterText(key) {
  const { points } = views.weeks;
  const calls = (point, side) => point.latencies[`${key}.${side}`]?.[3] ?? 0;
  const counts = (point, side, other) => calls(point, side) > 0 && calls(point, side) >= 0.2 * calls(point, other);
  const ofOrigin = points.filter(point => counts(point, O, T));
  const ofTarget = points.filter(point => counts(point, T, O));
  if (ofOrigin.length === 0 || ofTarget.length === 0) {
    return ofOrigin.length + ofTarget.length === 0 ? '' : `Only the ${ofOrigin.length > 0 ? O : T} was measured so far.`;
  }
  const both = ofOrigin.filter(point => counts(point, T, O));
  const p99 = (chosen, side) => median((both.length > 0 ? both : chosen).map(point => point.latencies[`${key}.${side}`][1]));
  const origin = p99(ofOrigin, O);
  const target = p99(ofTarget, T);
  const percent = Math.round(100 * (origin - target) / origin);
  const words = percent === 0 ? 'The target is as fast as the origin' : `The target is ${Math.abs(percent)} % ${percent > 0 ? 'faster' : 'slower'}`;
  return `${words}: p99 ${latency(target)}, the origin’s ${latency(origin)} (medians${both.length > 0 ? '' : '; measured at different times'}).`;
}

function drawFaster() {
  for (const { id, key } of FIGURES) setText($(`${id}-words`), fasterText(key));
}

function startCharts() {
  readColours();
  takeViews();
  const quiet = () => (state.now && state.now.instances.length === 0 ? 'No instance is registered: nothing to draw.' : 'Waiting for two heartbeats of an instance.');
  makeChart({ id: 'chart-origin', series: PERCENTILES, key: () => `${state.kind}.origin`, height: 210, format: latencyTick, label: 'Latency of the origin', range: 'shared', names: true, band: true, note: noLatency(O) });
  makeChart({ id: 'chart-target', series: PERCENTILES, key: () => `${state.kind}.target`, height: 190, format: latencyTick, label: 'Latency of the target', range: 'shared', band: true, note: noLatency(T) });
  makeChart({ id: 'chart-failures', series: FAILURES, height: 150, format: rateTick, label: 'Failures a second', names: true, note: quiet, zero: 'No failures in this time.' });
  makeChart({ id: 'chart-rate', series: RATES, height: 150, format: rateTick, label: 'Throughput', note: quiet });
  makeChart({ id: 'chart-trouble', series: TROUBLES, height: 130, format: rateTick, label: 'Fallbacks and differences', note: quiet });
  for (const { id, key, label } of FIGURES) {
    makeChart({ id, series: P99_OF_SIDES, key: () => key, view: weeksView, height: 200, format: latencyTick, label, names: true, note: () => 'Nothing was measured yet.' });
  }
  new ResizeObserver(() => {
    for (const chart of charts) {
      const width = Math.max(200, chart.plot.clientWidth);
      if (Math.abs(chart.u.width - width) > 1) chart.u.setSize({ width, height: chart.height });
    }
  }).observe($('chart-origin'));
  darkScheme.addEventListener('change', rebuildCharts);
  for (const radio of document.querySelectorAll('input[name="kind"]')) {
    radio.addEventListener('change', () => {
      state.kind = radio.value;
      drawCharts();
    });
  }
  for (const radio of document.querySelectorAll('input[name="window"]')) {
    radio.addEventListener('change', () => {
      state.windowSeconds = Number(radio.value);
      drawCharts();
    });
  }
  $('log').addEventListener('change', () => {
    state.log = $('log').checked;
    rebuildCharts();
  });
}

// ---- Changing things -------------------------------------------------------------------------------------------------

async function post(path, body) {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(state.token ? { Authorization: `Bearer ${state.token}` } : {}) },
    body: JSON.stringify(body),
  });
  const told = await answer.json().catch(() => ({}));
  if (answer.ok) return told;
  if (answer.status === 401) {
    state.token = null;
    remember(sessionStorage, TOKEN, null);
    if (state.now) drawButtons();
  }
  const missing = (told.missing ?? []).map(gate => `${gateTitle(gate.name)}: ${toldHere(gate.evidence)}`);
  throw new Error([told.error ?? `The server said ${answer.status}.`, ...missing].join(' '));
}

let onOk = null;

/** Opens the dialog; `ok` does it, and its error stays in the dialog. */
function ask({ title, body, okText, danger = false, ok }) {
  setText($('dialog-title'), title);
  $('dialog-body').replaceChildren(...body);
  setText($('dialog-error'), '');
  $('dialog-ok').hidden = ok == null;
  $('dialog-ok').disabled = false;
  setText($('dialog-ok'), okText ?? '');
  $('dialog-ok').className = danger ? 'danger' : 'primary';
  setText($('dialog-cancel'), ok == null ? 'Close' : 'Cancel');
  onOk = ok;
  if (!$('dialog').open) $('dialog').showModal();
  ($('dialog-body').querySelector('input:not([type="range"]):not([value]), textarea') ?? $('dialog-cancel')).focus();
}

async function submit(event) {
  event.preventDefault();
  if (!onOk || $('dialog-ok').disabled) return;
  $('dialog-ok').disabled = true;
  setText($('dialog-error'), '');
  try {
    const keepOpen = await onOk();
    if (!keepOpen) $('dialog').close();
  } catch (error) {
    setText($('dialog-error'), error instanceof TypeError ? 'This page’s server does not answer.' : error.message);
  } finally {
    $('dialog-ok').disabled = false;
  }
}

function field(label, input) {
  return h('label', { class: 'field' }, h('span', {}, label), input);
}

function whoField() {
  const known = remembered(localStorage, WHO);
  const input = h('input', { name: 'who', required: true, maxlength: 80, autocomplete: 'name', value: known });
  return { input, field: field('Your name, for the history', input) };
}

function whyField(label = 'Why', value = null) {
  const input = h('textarea', { name: 'why', required: true, maxlength: 1000 });
  if (value) input.value = value;
  return { input, field: field(label, input) };
}

function plan(tone, ...lines) {
  return h('div', { class: `plan ${tone}` }, ...lines.map(line => h('p', {}, line)));
}

/** First the token, if it isn't there, then what was wanted. */
function unlocked(then) {
  if (state.token) {
    then();
    return;
  }
  askToken(then);
}

function askToken(then) {
  const input = h('input', { name: 'token', type: 'password', required: true, autocomplete: 'off', spellcheck: 'false' });
  ask({
    title: 'Unlock changes',
    body: [h('p', {}, 'Looking is free; changing needs the token that was printed where this page was started. It is kept until this tab closes.'), field('Token', input)],
    okText: 'Unlock',
    ok: async () => {
      state.token = input.value.trim();
      await post('phase/unlock', {});
      remember(sessionStorage, TOKEN, state.token);
      drawButtons();
      announce('Changes are unlocked.');
      if (!then) return false;
      then();
      return true;
    },
  });
}

function change(path, body) {
  return async () => {
    const asked = body();
    remember(localStorage, WHO, asked.who);
    await post(path, asked);
    return false;
  };
}

function askAdvance() {
  const now = state.now;
  const next = now.readiness;
  const version = now.record.version;
  if (!next.ready) {
    const missing = next.gates.filter(gate => !gate.met);
    const commands = missing.map(gate => GATE_COMMANDS[gate.name]).filter(Boolean);
    ask({
      title: `Not ready to ${stepName(next).toLowerCase()}`,
      body: [h('p', {}, 'These conditions are not met:'), h('ul', { class: 'gates' }, ...missing.map(gateItem)),
        commands.length > 0 ? h('p', { class: 'hint' }, 'To do: ', ...commands.flatMap((command, index) => [index > 0 ? ', ' : '', h('code', {}, command)])) : ''],
    });
    return;
  }
  const who = whoField();
  const why = whyField();
  const to = PHASES[phaseIndex(next.to)];
  ask({
    title: `Advance ${now.name} from ${next.from} to ${next.to}?`,
    body: [plan('', now.mode === 'TEST' ? TEST_TEXT : to.text, `All ${next.gates.length} conditions are met.`), who.field, why.field],
    okText: stepName(next),
    ok: change('phase/advance', () => ({ version, who: who.input.value, why: why.input.value })),
  });
}

async function askRollback() {
  const now = state.now;
  const version = now.record.version;
  ask({ title: 'Roll back', body: [h('p', {}, 'Asking what it would lose…')] });
  let told;
  try {
    const answer = await fetch('phase/rollback-plan');
    told = await answer.json();
    if (!answer.ok) throw new Error(told.error);
  } catch (error) {
    ask({ title: 'Roll back', body: [plan('bad', `The plan could not be made: ${error.message}`)] });
    return;
  }
  const lines = [`What it would lose: ${told.whatIsLost}.`, told.keysToCopy > 0 ? `${plural(told.keysToCopy, 'key was', 'keys were')} written to the target alone and must be copied to the origin.` : null].filter(Boolean);
  if (told.refusal || !told.to) {
    ask({ title: `Roll back from ${told.from}`, body: [told.refusal ? plan('bad', 'It is refused now.', toldHere(told.refusal)) : plan('bad', 'There is no phase before the first.'), ...(lines.length > 0 ? [plan('', ...lines)] : [])] });
    return;
  }
  const who = whoField();
  const why = whyField();
  ask({
    title: `Roll ${now.name} back from ${told.from} to ${told.to}?`,
    body: [plan('warn', ...lines), who.field, why.field],
    okText: `Roll back to ${told.to}`,
    danger: true,
    ok: change('phase/rollback', () => ({ version, who: who.input.value, why: why.input.value })),
  });
}

function askShare() {
  const { record, name } = state.now;
  const who = whoField();
  const why = whyField();
  const slider = h('input', { type: 'range', min: 0, max: 100, step: 1, value: record.readShare, 'aria-label': 'Share in percent' });
  const number = h('input', { type: 'number', name: 'percent', min: 0, max: 100, step: 1, required: true, value: record.readShare });
  slider.addEventListener('input', () => { number.value = slider.value; });
  number.addEventListener('input', () => { slider.value = number.value; });
  ask({
    title: `Read share of ${name}`,
    body: [
      h('p', {}, 'Of the keys, so many percent have their reads begin at the target. The same keys on every instance; the others are read from the origin.'),
      h('div', { class: 'share-row' }, slider, field('Percent', number)), who.field, why.field],
    okText: 'Set the share',
    ok: change('phase/share', () => ({ version: record.version, percent: Number(number.value), who: who.input.value, why: why.input.value })),
  });
}

function askNote() {
  const who = whoField();
  const why = whyField('Note');
  ask({
    title: 'Add a note',
    body: [h('p', {}, 'It appears among the events and as a dated line in the charts.'), who.field, why.field],
    okText: 'Add note',
    ok: change('phase/note', () => ({ who: who.input.value, why: why.input.value })),
  });
}

function askDead(instance) {
  const who = whoField();
  const why = whyField('How do you know?');
  ask({
    title: `Declare ${instance} dead?`,
    body: [plan('warn', 'Only if its process has ended. One that still runs goes on by its own phase until it reaches the store again, and others no longer wait for it.'), who.field, why.field],
    okText: 'Declare dead',
    danger: true,
    ok: change('phase/dead', () => ({ instance, who: who.input.value, why: why.input.value })),
  });
}

function startButtons() {
  $('dialog-form').addEventListener('submit', submit);
  $('dialog-cancel').addEventListener('click', () => $('dialog').close());
  $('dialog').addEventListener('close', () => { onOk = null; });
  $('advance').addEventListener('click', () => (state.now.readiness.ready ? unlocked(askAdvance) : askAdvance()));
  $('rollback').addEventListener('click', () => unlocked(askRollback));
  $('share').addEventListener('click', () => unlocked(askShare));
  $('note').addEventListener('click', () => unlocked(askNote));
  $('unlock').addEventListener('click', () => {
    if (!state.token) {
      askToken(null);
      return;
    }
    state.token = null;
    remember(sessionStorage, TOKEN, null);
    drawButtons();
    announce('Changes are locked.');
  });
}

// ---- The stream ------------------------------------------------------------------------------------------------------

function take(told) {
  const before = state.now;
  state.tiers = TIER_MAX.map((max, tier) =>
    [...(told.whole ? [] : state.tiers[tier]), ...told.points[tier]].slice(-max));
  state.now = told.now;
  state.intervalMillis = told.intervalMillis;
  state.stream = 'live';
  state.lostAt = null;
  state.receivedAt = Date.now();
  draw();
  announceChanges(before, told.now);
}

function draw() {
  drawAlarm();
  drawBanners();
  drawLive();
  drawPhase();
  drawGates();
  drawInstances();
  drawJobs();
  drawTiles();
  drawMismatches();
  drawFailures();
  drawEvents();
  setText($('footer'), state.now.historyLasts
    ? 'Figures come from the instances’ heartbeats in the phase store. Charts of six weeks outlive this page’s server.'
    : 'Figures come from the instances’ heartbeats in the phase store; charts begin when this page’s server did. Option --history keeps six weeks of them.');
  drawButtons();
  if (!document.hidden) drawCharts();
}

function connect() {
  const stream = new EventSource('events');
  stream.addEventListener('look', event => take(JSON.parse(event.data)));
  stream.addEventListener('error', () => {
    if (state.stream !== 'lost') {
      state.stream = 'lost';
      state.lostAt = Date.now();
      announce('The connection to this page’s server is lost.');
      drawAlarm();
      drawBanners();
      drawLive();
      if (state.now) drawButtons();
    }
    // A stream that was refused, not lost, is given up by the browser.
    if (stream.readyState === EventSource.CLOSED) setTimeout(connect, 3000);
  });
}

takeToken();
// The printed address, opened where the page is already.
addEventListener('hashchange', () => {
  takeToken();
  if (state.now) drawButtons();
});
startCharts();
startButtons();
connect();
setInterval(() => state.stream !== 'connecting' && drawLive(), 1000);
document.addEventListener('visibilitychange', () => !document.hidden && state.now && drawCharts());
