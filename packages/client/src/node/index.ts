export { createNodeClient } from './create-node-client.ts';
export { openArchive } from './open-archive.ts';
