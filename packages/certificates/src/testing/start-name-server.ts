import { spawn } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { accessSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { waitUntil } from '@berth/testkit';
import { end, freePort } from './start-pebble.ts';

/** A running BIND that is authoritative for berth.test. */
export interface NameServerFixture extends AsyncDisposable {
  readonly port: number;
  /** Secret of the key `berth`, base64. It may change the TXT record `_acme-challenge.apps.berth.test` and nothing else. */
  readonly secret: string;
  /** The values of a TXT record; empty if there is none. */
  txt(name: string): Promise<string[]>;
  /** All output so far. */
  readonly output: readonly string[];
}

const NAMED = '/usr/sbin/named';
const ZONE = `$TTL 60
@ IN SOA ns.berth.test. op.berth.test. 1 3600 600 86400 1
@ IN NS ns.berth.test.
ns IN A 127.0.0.1
shop IN A 127.0.0.1
`;

/** Starts BIND. Returns the reason as text if this machine has none. */
export async function startNameServer(): Promise<NameServerFixture | string> {
  try {
    accessSync(NAMED);
  } catch {
    return `${NAMED} is missing: install Debian's bind9`;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-named-'));
  const port = await freePort();
  const secret = Buffer.from('a key of thirty-two bytes, so to').toString('base64');
  writeFileSync(path.join(folder, 'zone'), ZONE);
  writeFileSync(
    path.join(folder, 'named.conf'),
    `options {
  directory "${folder}"; pid-file none; session-keyfile none; lock-file none; managed-keys-directory "${folder}";
  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no; dnssec-validation no;
};
controls {};
key berth { algorithm hmac-sha256; secret "${secret}"; };
zone "berth.test" {
  type primary; file "zone"; notify no;
  update-policy { grant berth name _acme-challenge.apps.berth.test TXT; };
};
`,
  );
  const output: string[] = [];
  const child = spawn(NAMED, ['-g', '-n', '1', '-c', path.join(folder, 'named.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.on('data', (chunk) => output.push(String(chunk)));
  const ask = () => {
    const resolver = new Resolver({ timeout: 1_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${port}`]);
    return resolver;
  };
  await waitUntil('BIND answers', () =>
    ask()
      .resolveSoa('berth.test')
      .then(
        () => true,
        () => false,
      ),
  );
  return {
    ...{ port, secret, output },
    txt: (name) =>
      ask()
        .resolveTxt(name)
        .then(
          (values) => values.map((parts) => parts.join('')).sort(),
          () => [],
        ),
    async [Symbol.asyncDispose]() {
      await end(child);
      rmSync(folder, { recursive: true });
    },
  };
}
