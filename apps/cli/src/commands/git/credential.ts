import { defineCommand } from '../../command/command.ts';

/** `berth git credential`. */
export const gitCredential = defineCommand({
  name: 'credential',
  summary: 'Answer Git when it asks for the key of the server',
  description:
    'A credential helper, which `berth git setup` adds to a repository. Prints your key only when Git asks for the server that commands ' +
    'use, which --url chooses, and nothing for any other. Storing and erasing are ignored.',
  words: { '[operation]': 'get, store or erase; get by default' },
  examples: [['git config credential.https://api.example.com.helper "!berth git credential"', 'uses it for a server']],
  async run({ words: [operation = 'get'] }, { target, output, readInput }) {
    if (operation !== 'get') return;
    const asked = parseRequest(await readInput());
    const { baseUrl, credential } = await target();
    const { protocol, host } = new URL(baseUrl);
    if (asked.get('protocol') !== protocol.slice(0, -1) || asked.get('host') !== host || !credential) return;
    const password =
      'apiKey' in credential ? credential.apiKey : 'bearer' in credential ? credential.bearer : undefined;
    if (password === undefined) return;
    output.json({ username: 'berth', password });
    output.print(`username=berth\npassword=${password}`);
  },
});

/** Source: git-credential(1), "INPUT/OUTPUT FORMAT". */
function parseRequest(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\n').flatMap((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
    }),
  );
}
