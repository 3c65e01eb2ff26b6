// Computes without a pause until the process that forked it is gone. Started by start-load.ts.
const SLICE_MS = 50;

process.on('disconnect', () => process.exit(0));
process.send?.('computing');

/** In slices: between two of them the end of the channel is noticed. */
function spin(): void {
  for (const endMs = performance.now() + SLICE_MS; performance.now() < endMs; );
  setImmediate(spin);
}

spin();
