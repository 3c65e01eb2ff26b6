const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (value) => String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]);

export function renderPage({ name, revision, started_at, requests, node }) {
  const facts = [
    ['Service', name],
    ['Revision', revision],
    ['Instance started', started_at],
    ['Requests it has served', requests],
    ['Node', node],
  ];
  const rows = facts.map(([label, value]) => `<div><dt>${label}</dt><dd>${escapeHtml(value)}</dd></div>`).join('');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(name)} on Berth</title>
<style>
  :root { --ink: #10222e; --soft: #5b6f7b; --paper: #f6f8f7; --card: #fff; --line: #dfe6e6; --sea: #0b7285; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #e8f0f2; --soft: #93a7b1; --paper: #0c151b; --card: #131f27; --line: #24343e; --sea: #4cc3d9; }
  }
  * { box-sizing: border-box; margin: 0; }
  body { min-height: 100vh; display: grid; place-items: center; padding: 2rem 1.25rem; background: var(--paper);
    color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
  main { width: min(40rem, 100%); }
  .live { display: inline-flex; align-items: center; gap: .5rem; color: var(--sea); font-weight: 600; }
  .live::before { content: ""; width: .6rem; height: .6rem; border-radius: 50%; background: currentColor; }
  h1 { margin: .75rem 0 .5rem; font-size: clamp(2rem, 7vw, 3rem); line-height: 1.1; letter-spacing: -.02em; }
  p { color: var(--soft); }
  dl { margin: 2rem 0; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); }
  dl div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1.5rem; padding: .7rem 1.1rem; }
  dl div + div { border-top: 1px solid var(--line); }
  dt { color: var(--soft); }
  dd { font-variant-numeric: tabular-nums; font-weight: 600; overflow-wrap: anywhere; }
  h2 { font-size: 1.05rem; margin-bottom: .5rem; }
  pre { margin-top: .75rem; padding: 1rem 1.1rem; overflow-x: auto; border: 1px solid var(--line);
    border-radius: .75rem; background: var(--card); font: .9rem/1.7 ui-monospace, monospace; }
  pre i { color: var(--soft); }
</style>
<main>
  <span class="live">It works</span>
  <h1>Hello from Berth</h1>
  <p>This page is a small Node service in <code>examples/hello-node</code>. It was built from its source and
    started by this request, or by an earlier one; left alone for a while, it stops, and the next visit wakes it.</p>
  <dl>${rows}</dl>
  <h2>Make it yours</h2>
  <p>Change a line of <code>examples/hello-node/page.js</code> and send it again:</p>
  <pre>npx berth deploy examples/hello-node --name ${escapeHtml(name)}
npx berth logs ${escapeHtml(name)} -f      <i># what it prints</i>
npx berth deploy ./your-project   <i># anything with a package.json, a requirements.txt, a go.mod or an index.html</i></pre>
</main>
</html>
`;
}
