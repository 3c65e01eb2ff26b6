const HALF_TIDE_MS = (6 * 60 + 12.6) * 60_000;

const table = document.querySelector('#tides');
const first = Math.ceil(Date.now() / HALF_TIDE_MS);
for (let count = first; count < first + 4; count++) {
  const row = table.insertRow();
  row.insertCell().textContent = count % 2 === 0 ? 'High water' : 'Low water';
  row.insertCell().textContent = new Date(count * HALF_TIDE_MS).toLocaleString();
}
