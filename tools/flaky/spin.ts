// Keeps a CPU busy until the process that forked it ends. Started by `start-load.ts`.
const SLICE_MS = 50;

process.on('disconnect', () => process.exit(0));
process.send?.('computing');

/** Length of a slice. Between slices the event loop notices the end of the channel. */
function spin(): void {
  for (const endMs = performance.now() + SLICE_MS; performance.now() < endMs; );
  setImmediate(spin);
}

spin();
