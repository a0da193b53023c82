// Draws the map of loads, and lets a reader step through the looks by mouse, finger or keyboard.
// The rest of the page works without this script.
(function () {
  'use strict';

  const data = JSON.parse(document.getElementById('data').textContent);
  const columns = data.end.length;
  const slider = document.getElementById('look');
  const said = document.getElementById('said');
  const cursors = [];

  // --- Where a step is ---------------------------------------------------------------------------

  const first = columns > 0 ? data.begin[0] : 0;
  const last = columns > 0 ? data.end[columns - 1] : 0;
  const length = Math.max(1, last - first);

  // The column that contains a step: the first column that ends at this step or later.
  function columnOf(step) {
    let low = 0, high = columns - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (data.end[middle] >= step) high = middle; else low = middle + 1;
    }
    return low;
  }

  // --- The map of loads --------------------------------------------------------------------------

  const heat = data.heat;
  const cells = heat ? Uint8Array.from(atob(heat.cells), (c) => c.charCodeAt(0)) : null;
  const unknown = 255, most = 254;

  function rampOf(name) {
    const list = getComputedStyle(document.documentElement).getPropertyValue(name);
    const stops = list.split(',').map((stop) => {
      const number = parseInt(stop.trim().slice(1), 16);
      return [number >> 16, (number >> 8) & 255, number & 255];
    });
    const ramp = [];
    for (let value = 0; value <= most; ++value) {
      const at = (value / most) * (stops.length - 1);
      const i = Math.min(Math.floor(at), stops.length - 2);
      ramp.push(stops[i].map((c, k) => Math.round(c + (at - i) * (stops[i + 1][k] - c))));
    }
    return ramp;
  }

  function drawHeat(isPrinted) {
    const canvas = document.getElementById('heat');
    if (!canvas || !heat) return;
    const isDark = !isPrinted && matchMedia('(prefers-color-scheme: dark)').matches;
    const ramp = rampOf(isDark ? '--dark-ramp' : '--light-ramp');
    const context = canvas.getContext('2d');
    const image = context.createImageData(canvas.width, canvas.height);
    for (let x = 0; x < canvas.width; ++x) {
      const column = columnOf(first + ((x + 0.5) / canvas.width) * length);
      for (let row = 0; row < heat.rows; ++row) {
        const value = cells[row * columns + column];
        const at = 4 * (row * canvas.width + x);
        if (value === unknown) continue;
        image.data.set(ramp[value], at);
        image.data[at + 3] = 255;
      }
    }
    context.putImageData(image, 0, 0);
    canvas.dataset.drawn = String(heat.rows * columns);
  }

  function heatText(column, share) {
    const row = Math.min(heat.rows - 1, Math.max(0, Math.floor(share * heat.rows)));
    const value = cells[row * columns + column];
    if (value === unknown) return '';
    if (heat.ranks) {
      const load = heat.low + (value / most) * (heat.high - heat.low);
      const bound = value === most ? ' or more' : value === 0 ? ' or less' : '';
      return 'Rank ' + row + ' has ' + load.toFixed(2) + bound + ' of the average load. ';
    }
    const load = heat.top - ((row + 1) / heat.rows) * (heat.top - heat.bottom);
    const ranks = Math.pow(value / most, 4) * 100;
    return ranks.toFixed(ranks < 1 ? 2 : 0) + ' % of the ranks have ' + load.toFixed(2) +
      ' of the average load. ';
  }

  // --- Domains -----------------------------------------------------------------------------------

  // If there are few ranks, each has its own colour. If there are many, the colour shows their
  // order.
  const few =
    ['#4f8fc4', '#e0a23a', '#4aa287', '#c9653c', '#9a78b8', '#8a9a3f', '#5fb3c9', '#b0697f'];

  // The colours of all ranks that can be seen before or after.
  function coloursOf(change) {
    const seen = new Set();
    for (const plane of change.before.concat(change.after))
      for (let i = 0; i < plane.owners.length; i += 2) seen.add(plane.owners[i]);
    const ramp = rampOf('--light-ramp'), colours = new Map();
    const owners = Array.from(seen).sort((a, b) => a - b);
    owners.forEach((owner, i) => {
      const share = i / Math.max(1, owners.length - 1);
      colours.set(owner, owners.length <= few.length
        ? few[i] : 'rgb(' + ramp[Math.round(share * most)] + ')');
    });
    return colours;
  }

  function ownersOf(plane) {
    const owners = [];
    for (let i = 0; i + 1 < plane.owners.length; i += 2)
      for (let k = 0; k < plane.owners[i + 1]; ++k) owners.push(plane.owners[i]);
    return owners;
  }

  // Row 0 is at the bottom.
  function drawPlane(canvas, plane, colours) {
    const size = 12, context = canvas.getContext('2d');
    canvas.plane = plane;
    canvas.owners = plane ? ownersOf(plane) : null;
    canvas.width = plane ? plane.columns * size : 1;
    canvas.height = plane ? plane.rows * size : 1;
    if (!plane) return;
    const at = (column, row) => canvas.owners[row * plane.columns + column];
    for (let row = 0; row < plane.rows; ++row)
      for (let column = 0; column < plane.columns; ++column) {
        const x = column * size, y = (plane.rows - 1 - row) * size, owner = at(column, row);
        context.fillStyle = colours.get(owner);
        context.fillRect(x, y, size, size);
        context.fillStyle = '#ffffff';
        if (column + 1 < plane.columns && at(column + 1, row) !== owner)
          context.fillRect(x + size - 2, y, 2, size);
        if (row + 1 < plane.rows && at(column, row + 1) !== owner) context.fillRect(x, y, size, 2);
      }
  }

  function drawDomains() {
    const change = data.domains[Number(document.getElementById('change').value)];
    const colours = coloursOf(change);
    for (const canvas of document.querySelectorAll('#domains canvas')) {
      drawPlane(canvas, change[canvas.dataset.when][Number(canvas.dataset.plane)], colours);
      canvas.parentElement.classList.toggle('unknown', !canvas.owners);
    }
  }

  function onDomains(event) {
    const canvas = event.currentTarget, plane = canvas.plane;
    if (!plane) return;
    const place = canvas.getBoundingClientRect();
    const cell = (share, cells) => Math.min(cells - 1, Math.max(0, Math.floor(share * cells)));
    const column = cell((event.clientX - place.left) / place.width, plane.columns);
    const row = cell((place.bottom - event.clientY) / place.height, plane.rows);
    document.getElementById('owner').textContent =
      'Here is rank ' + canvas.owners[row * plane.columns + column] + '.';
  }

  function beginDomains() {
    const chosen = document.getElementById('change');
    if (!chosen) return;
    chosen.addEventListener('change', drawDomains);
    for (const canvas of document.querySelectorAll('#domains canvas'))
      canvas.addEventListener('pointermove', onDomains);
    drawDomains();
  }

  // --- Look by look ------------------------------------------------------------------------------

  function select(column, before) {
    slider.value = column;
    said.textContent = (before || '') + data.text[column];
    slider.setAttribute('aria-valuetext', data.text[column]);
    const at = 100 * ((data.begin[column] + data.end[column]) / 2 - first) / length;
    for (const cursor of cursors) cursor.style.left = at + '%';
    document.getElementById('before').disabled = !data.rebalances.some((each) => each < column);
    document.getElementById('after').disabled = !data.rebalances.some((each) => each > column);
  }

  function onPointer(event) {
    const area = event.currentTarget, place = area.getBoundingClientRect();
    const column = columnOf(first + ((event.clientX - place.left) / place.width) * length);
    const isHeat = heat && area.parentElement.classList.contains('heat');
    select(column, isHeat ? heatText(column, (event.clientY - place.top) / place.height) : '');
  }

  function goToRebalance(isForward) {
    const here = Number(slider.value);
    const others = data.rebalances.filter((each) => (isForward ? each > here : each < here));
    if (others.length > 0) select(isForward ? others[0] : others[others.length - 1]);
  }

  // The address of the page may end in #step=120.
  function goToAddress() {
    const found = /^#step=(\d+)$/.exec(location.hash);
    if (found) select(columnOf(Number(found[1])));
    return found !== null;
  }

  function begin() {
    drawHeat(false);
    beginDomains();
    if (columns === 0) return;
    slider.max = columns - 1;
    for (const area of document.querySelectorAll('.time .area')) {
      const cursor = document.createElement('div');
      cursor.className = 'cursor';
      area.append(cursor);
      cursors.push(cursor);
      area.addEventListener('pointermove', onPointer);
      area.addEventListener('pointerdown', onPointer);
    }
    slider.addEventListener('input', () => select(Number(slider.value)));
    document.getElementById('before').addEventListener('click', () => goToRebalance(false));
    document.getElementById('after').addEventListener('click', () => goToRebalance(true));
    addEventListener('hashchange', goToAddress);
    if (!goToAddress()) select(data.rebalances.length > 0 ? data.rebalances[0] : 0);
    document.getElementById('inspector').hidden = false;
  }

  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawHeat(false));
  addEventListener('beforeprint', () => drawHeat(true));
  addEventListener('afterprint', () => drawHeat(false));
  document.getElementById('inspector')
    .addEventListener('submit', (event) => event.preventDefault());
  begin();
})();
