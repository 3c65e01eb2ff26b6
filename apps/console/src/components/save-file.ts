/** Lets the browser save `content` as a file of that name. */
export function saveFile(name: string, content: string | Blob, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken it when the next task runs; Safari reads it a little later.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
