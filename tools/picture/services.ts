import type { Berth } from '../../tests/harness/berth.ts';
import type { ProjectFiles } from '../../tests/harness/project-files.ts';
import { request } from '../../tests/harness/request.ts';

/** A service that logs JSON, is slower at some paths and fails at `/pay` now and then: its plots and its log have something to show. */
const SERVER = `import { createServer } from 'node:http';
const log = (severity, message, fields) => console.log(JSON.stringify({ severity, message, ...fields }));
let count = 0;
createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  const order = 1000 + ++count;
  const isPay = pathname === '/pay';
  const fails = isPay && order % 9 === 0;
  setTimeout(() => {
    if (fails) log('ERROR', 'payment ' + order + ' was declined by the bank', { order, user: { id: 'u-' + (order % 7) } });
    else if (isPay && order % 7 === 0) log('WARNING', 'payment ' + order + ' took a second try', { order });
    else log('INFO', (isPay ? 'payment ' : 'order ') + order + ' handled', { order, user: { id: 'u-' + (order % 7) } });
    response.writeHead(fails ? 502 : 200).end('ok');
  }, isPay ? 40 + (order % 5) * 12 : 4);
}).listen(Number(process.env.PORT));
`;

/** Files of the deployment whose pages are pictured. */
export const SHOP: ProjectFiles = {
  'package.json': '{"name":"shop","type":"module","scripts":{"start":"node server.js"}}',
  'server.js': SERVER,
};

/** Sends `count` requests to the service `name`, a few at a time, as visitors would. */
export async function visitService(berth: Berth, name: string, count: number): Promise<void> {
  const paths = ['/', '/items', '/pay', '/items/7', '/pay'];
  for (let index = 0; index < count; index += paths.length) {
    await Promise.all(paths.map((path) => request(berth, name, path)));
  }
}
