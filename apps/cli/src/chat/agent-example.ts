/** Programs that `berth token --example` prints. */
export const EXAMPLES = ['curl', 'python', 'node'] as const;

/** The name of an example program. */
export type Example = (typeof EXAMPLES)[number];

/**
 * Returns how any program on this machine reaches an address: Python, Node and others don't resolve `<name>.localhost`. `host` is the
 * `Host` header that names the agent; undefined where the address resolves.
 */
function connectionTo(address: string): { readonly url: string; readonly host: string | undefined } {
  const url = new URL(address);
  if (!url.hostname.endsWith('.localhost')) return { url: url.origin, host: undefined };
  const { host } = url;
  url.hostname = 'localhost';
  return { url: url.origin, host };
}

const BODY = '{"model": "any", "messages": [{"role": "user", "content": "Hello"}]}';

/**
 * Returns a program that says "Hello" to the agent at `address` and prints the answer. It needs only `BERTH_AGENT_TOKEN` and no
 * installed packages.
 */
export function agentExample(example: Example, name: string, address: string): string {
  const { url, host } = connectionTo(address);
  const target = `${url}/chat/completions`;
  return {
    curl: () =>
      [
        runLine(name, 'sh hello.sh'),
        `curl -s ${target} \\`,
        ...(host === undefined ? [] : [`  -H 'Host: ${host}' \\`]),
        '  -H "Authorization: Bearer $BERTH_AGENT_TOKEN" \\',
        "  -H 'Content-Type: application/json' \\",
        // Without it the answer is a stream.
        "  -H 'Accept: application/json' \\",
        `  -d '${BODY}'`,
      ].join('\n'),
    python: () =>
      [
        runLine(name, 'python3 hello.py'),
        'import json, os, urllib.request',
        '',
        'headers = {',
        ...(host === undefined ? [] : [`    "Host": "${host}",`]),
        '    "Authorization": "Bearer " + os.environ["BERTH_AGENT_TOKEN"],',
        '    "Content-Type": "application/json",',
        '    "Accept": "application/json",',
        '}',
        `body = ${BODY}`,
        `request = urllib.request.Request("${target}", json.dumps(body).encode(), headers)`,
        'print(json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"])',
      ].join('\n'),
    node: () =>
      [
        runLine(name, 'node hello.mjs').replace('#', '//'),
        `import { request } from 'node:${new URL(url).protocol.slice(0, -1)}';`,
        "import { json } from 'node:stream/consumers';",
        '',
        'const headers = {',
        ...(host === undefined ? [] : [`  Host: '${host}',`]),
        '  Authorization: `Bearer ${process.env.BERTH_AGENT_TOKEN}`,',
        "  'Content-Type': 'application/json',",
        "  Accept: 'application/json',",
        '};',
        `const body = ${BODY};`,
        `const call = request('${target}', { method: 'POST', headers }, async (answer) => {`,
        '  console.log((await json(answer)).choices[0].message.content);',
        '});',
        'call.end(JSON.stringify(body));',
      ].join('\n'),
  }[example]();
}

function runLine(name: string, command: string): string {
  return `# BERTH_AGENT_TOKEN=$(berth token ${name}) ${command}`;
}
