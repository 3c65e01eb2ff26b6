export { createNodeAgentClient, createNodeClient } from './create-node-client.ts';
export { localhostFetch, lookupLocalhost } from './localhost-fetch.ts';
export { openArchive } from './open-archive.ts';
