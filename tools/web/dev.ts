// Serves a page while it is written, with the API of a running platform behind it. `npm run web:dev -- [console|chat] [URL]`.
import path from 'node:path';
import { createServer } from 'vite';
import { pageConfig } from './bundle-page.ts';

const [page = 'console', api = 'http://localhost:8787'] = process.argv.slice(2);
const folder = path.resolve(import.meta.dirname, '../../apps', page);
const server = await createServer({
  ...pageConfig(folder),
  logLevel: 'info',
  server: { proxy: { '^/(v1|oauth2|openapi.json)': { target: api, changeOrigin: true } } },
});
await server.listen();
server.printUrls();
