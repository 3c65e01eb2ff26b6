import { loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const file = new URL('./tides.proto', import.meta.url).pathname;

/** The service of tides.proto, for the server and the client. */
export const { tides } = loadPackageDefinition(loadSync(file, { defaults: true }));
