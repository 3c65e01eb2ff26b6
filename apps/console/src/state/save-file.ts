/** Lets the browser save `text` as a file of that name. */
export function saveFile(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken it when the next task runs; Safari reads it a little later.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
