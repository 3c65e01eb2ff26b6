import { BerthError } from '@berth/kit';
import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { forwardPort } from '../../exec/forward-port.ts';

/** `berth proxy`. */
export const proxy = defineCommand({
  name: 'proxy',
  summary: 'Reach a TCP port of an instance from this machine',
  description:
    'Listens on 127.0.0.1 and connects each client to a port that a program of the instance listens on, such as a debugger or a database. ' +
    'A deployment at rest is started by the first connection. Ctrl-C ends it.',
  words: { '<name>': 'Name of the deployment', '<port>': 'Port of the instance' },
  options: {
    '--local <port>': 'Port of this machine; the same by default, 0 = any free one',
    '--instance <id>': 'ID of the instance; any by default',
  },
  examples: [
    ['berth proxy my-app 9229', 'a Node debugger at 127.0.0.1:9229'],
    ['berth proxy my-app 5432 --local 15432', 'a database at 127.0.0.1:15432'],
    ['berth proxy my-app 9229 --local 0 --json', 'any free port, as JSON'],
  ],
  async run({ words: [name = '', word = ''], options }, context) {
    const { output } = context;
    const port = readPort('<port>', word, 1);
    const localPort = options.local === undefined ? port : readPort('--local', options.local, 0);
    const client = await context.connect();
    // The same request without a handshake says what would refuse it.
    await client
      .get('/v1/deployment/{name}/tcp', { params: { path: { name }, query: { port } } })
      .catch((error: unknown) => {
        if (!BerthError.is(error, 'bad_request')) throw error;
      });
    const query = new URLSearchParams({ port: String(port), ...(options.instance && { instance: options.instance }) });
    const interrupted = Promise.withResolvers<void>();
    using _interrupt = context.onInterrupt(interrupted.resolve);
    await using forward = await forwardPort({
      target: await context.target(),
      path: `/v1/deployment/${encodeURIComponent(name)}/tcp?${query}`,
      localPort,
      onError: (error) => output.warn(error.message),
    });
    output.json({ local_port: forward.localPort, port });
    output.say(`127.0.0.1:${forward.localPort} leads to port ${port} of ${name}. Ctrl-C ends it.`);
    await interrupted.promise;
  },
});

function readPort(name: string, text: string, least: number): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port < least || port > 65_535) throw new UsageError(`${name} must be a port, ${least}–65535`);
  return port;
}
