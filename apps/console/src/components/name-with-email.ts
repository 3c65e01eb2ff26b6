/** Returns a person's name and e-mail address, where people with the same name must be told apart. */
export function nameWithEmail({ name, email }: { readonly name: string; readonly email: string }): string {
  return name === email ? email : `${name} · ${email}`;
}
