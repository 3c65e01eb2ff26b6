export { createNodeClient } from './create-node-client.ts';
export { localhostFetch } from './localhost-fetch.ts';
export { openArchive } from './open-archive.ts';
