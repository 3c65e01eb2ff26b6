import { parentPort } from 'node:worker_threads';
import { type PlaceRequest, placeFiles } from './place-files.ts';

parentPort?.on('message', (requests: readonly PlaceRequest[]) => parentPort?.postMessage(placeFiles(requests)));
