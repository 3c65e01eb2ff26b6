import { manifest, npmCreate, npx, type Sample } from './sample.ts';

const vite = (template: string): readonly string[] => npmCreate('vite', '--template', template, '--no-interactive');

/** A page that Vite built: the page in the source names `/src/`. */
const VITE_PAGE = /src="\/assets\//;

/**
 * Projects of JavaScript and TypeScript. Frameworks whose create command downloads its template from GitHub are written
 * out as their manual installation page does, so that a machine with package registries alone can run the list.
 */
export const NODE_SAMPLES: readonly Sample[] = [
  { name: 'vite-vanilla', create: vite('vanilla'), answer: VITE_PAGE },
  { name: 'vite-react', create: vite('react-ts'), answer: VITE_PAGE },
  { name: 'vite-vue', create: vite('vue-ts'), answer: VITE_PAGE },
  { name: 'vite-svelte', create: vite('svelte-ts'), answer: VITE_PAGE },
  { name: 'vite-solid', create: vite('solid-ts'), answer: VITE_PAGE },
  { name: 'vite-preact', create: vite('preact-ts'), answer: VITE_PAGE },
  { name: 'vite-lit', create: vite('lit-ts'), answer: VITE_PAGE },
  { name: 'create-vue', create: npmCreate('vue', '--default'), answer: VITE_PAGE },
  {
    name: 'next',
    create: npx('create-next-app@latest', 'app', '--yes', '--skip-install', '--disable-git', '--empty'),
    answer: /Hello/i,
  },
  {
    name: 't3',
    create: npx(
      'create-t3-app@latest',
      'app',
      '--CI',
      '--noGit',
      '--noInstall',
      '--tailwind',
      'false',
      '--trpc',
      'false',
    ),
    // As created, but for a font that its build downloads from Google: registries alone have to do.
    files: {
      'src/pages/_app.tsx':
        'import { type AppType } from "next/dist/shared/lib/utils";\nimport "~/styles/globals.css";\nconst MyApp: AppType = ({ Component, pageProps }) => <Component {...pageProps} />;\nexport default MyApp;\n',
    },
    answer: /T3/,
  },
  {
    // https://nuxt.com/docs/getting-started/installation
    name: 'nuxt',
    files: {
      'package.json': manifest(
        { build: 'nuxt build', dev: 'nuxt dev', postinstall: 'nuxt prepare' },
        { nuxt: 'latest', vue: 'latest', 'vue-router': 'latest' },
      ),
      'app/app.vue': '<template><h1>Hello from Nuxt</h1></template>\n',
      'nuxt.config.ts': 'export default defineNuxtConfig({})\n',
    },
    answer: /Hello from Nuxt/,
  },
  {
    // https://docs.astro.build/en/install-and-setup/#manual-setup
    name: 'astro',
    files: {
      'package.json': manifest(
        { dev: 'astro dev', start: 'astro dev', build: 'astro build', preview: 'astro preview' },
        { astro: 'latest' },
      ),
      'src/pages/index.astro': '---\n---\n<html><body><h1>Hello from Astro</h1></body></html>\n',
      'astro.config.mjs': "import { defineConfig } from 'astro/config';\nexport default defineConfig({});\n",
    },
    answer: /Hello from Astro/,
  },
  {
    // https://docs.astro.build/en/guides/integrations-guide/node/
    name: 'astro-node',
    files: {
      'package.json': manifest(
        { dev: 'astro dev', build: 'astro build' },
        { astro: 'latest', '@astrojs/node': 'latest' },
      ),
      'src/pages/index.astro':
        '---\nconst at = Astro.request.method;\n---\n<html><body><h1>Served by {at}</h1></body></html>\n',
      'astro.config.mjs':
        "import { defineConfig } from 'astro/config';\nimport node from '@astrojs/node';\nexport default defineConfig({ output: 'server', adapter: node({ mode: 'standalone' }) });\n",
    },
    answer: /Served by GET/,
  },
  {
    name: 'sveltekit',
    create: npx('sv', 'create', 'app', '--template', 'minimal', '--types', 'ts', '--no-add-ons', '--no-install'),
    answer: /SvelteKit/,
  },
  {
    // https://reactrouter.com/start/framework/installation
    name: 'react-router',
    files: {
      'package.json': manifest(
        { build: 'react-router build', dev: 'react-router dev', start: 'react-router-serve ./build/server/index.js' },
        {
          // One version of all four: a registry that has the newest of some of them installs none.
          ...{ 'react-router': '7.18.4', '@react-router/node': '7.18.4', '@react-router/serve': '7.18.4', isbot: '^5' },
          ...{ react: '^19', 'react-dom': '^19' },
        },
        { devDependencies: { '@react-router/dev': '7.18.4', vite: '^7', typescript: '^5' } },
      ),
      'vite.config.ts':
        "import { reactRouter } from '@react-router/dev/vite';\nimport { defineConfig } from 'vite';\nexport default defineConfig({ plugins: [reactRouter()] });\n",
      'app/root.tsx':
        "import { Outlet, Scripts } from 'react-router';\nexport default function App() {\n  return <html lang='en'><body><Outlet /><Scripts /></body></html>;\n}\n",
      'app/routes.ts': "import { index } from '@react-router/dev/routes';\nexport default [index('./home.tsx')];\n",
      'app/home.tsx': 'export default function Home() {\n  return <h1>Hello from React Router</h1>;\n}\n',
      'tsconfig.json': '{"compilerOptions": {"jsx": "react-jsx", "module": "ESNext", "moduleResolution": "bundler"}}',
    },
    answer: /Hello from React Router/,
  },
  {
    // https://hono.dev/docs/getting-started/nodejs
    name: 'hono',
    files: {
      'package.json': manifest(
        { dev: 'tsx watch src/index.ts', build: 'tsc', start: 'node dist/index.js' },
        { hono: '^4', '@hono/node-server': '^1' },
        { devDependencies: { '@types/node': '^24', tsx: '^4', typescript: '^5' } },
      ),
      'tsconfig.json':
        '{"compilerOptions": {"target": "ESNext", "module": "NodeNext", "strict": true, "skipLibCheck": true, "types": ["node"], "outDir": "./dist", "rootDir": "./src"}, "exclude": ["node_modules"]}',
      'src/index.ts':
        "import { serve } from '@hono/node-server';\nimport { Hono } from 'hono';\nconst app = new Hono();\napp.get('/', (c) => c.text('Hello Hono!'));\nserve({ fetch: app.fetch, port: 3000 }, (info) => console.log(info.port));\n",
    },
    port: 3000,
    answer: /Hello Hono!/,
  },
  { name: 'express-generator', create: npx('express-generator', '--no-view', 'app'), answer: /Express/ },
  { name: 'express-pug', create: npx('express-generator', '--view=pug', 'app'), answer: /Welcome to Express/ },
  {
    name: 'nest',
    create: npx('@nestjs/cli', 'new', 'app', '--skip-install', '--skip-git', '-p', 'npm'),
    answer: /Hello World!/,
  },
  {
    // https://koajs.com
    name: 'koa',
    files: {
      'package.json': manifest({}, { koa: '^3' }),
      'app.js':
        "import Koa from 'koa';\nconst app = new Koa();\napp.use(async (ctx) => { ctx.body = 'Hello World'; });\napp.listen(3000);\n",
    },
    port: 3000,
    answer: /Hello World/,
  },
  { name: 'fastify-cli', create: npx('fastify-cli', 'generate', 'app'), answer: /"root":true/ },
  {
    name: 'angular',
    create: npx('@angular/cli', 'new', 'app', '--defaults', '--skip-install', '--skip-git', '--ssr=false'),
    answer: /app-root/,
  },
  {
    // https://qwik.dev/docs/deployments/node/: without an adapter it has nothing to deploy, and Berth says so.
    name: 'qwik',
    create: [
      'sh',
      '-c',
      'npx --yes create-qwik@latest empty app && cd app && npm install && npx qwik add node-server --skipConfirmation=true',
    ],
    answer: /qwik/i,
  },
  {
    // Not the latest, whose own dependency some registries lack.
    name: 'rsbuild',
    create: npx('create-rsbuild@2.2.5', 'app', '--template', 'react-ts'),
    answer: /id="root"/,
  },
  {
    name: 'docusaurus',
    create: npx('create-docusaurus@latest', 'app', 'classic', '--javascript', '--skip-install'),
    answer: /Docusaurus/,
  },
  {
    // https://www.11ty.dev/docs/
    name: 'eleventy',
    files: {
      'package.json': manifest({ build: 'eleventy', start: 'eleventy --serve' }, { '@11ty/eleventy': '^3' }),
      'index.md': '# Hello from Eleventy\n',
    },
    answer: /Hello from Eleventy/,
  },
  {
    name: 'node-http',
    files: {
      'server.js':
        "require('node:http').createServer((q, r) => r.end('Hello from Node')).listen(process.env.PORT || 3000);\n",
    },
    answer: /Hello from Node/,
  },
];
