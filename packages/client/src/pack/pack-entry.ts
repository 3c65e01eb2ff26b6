/** One thing to pack. Paths are relative to the root, with `/`, in the order they are packed in. */
export type PackEntry =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly sizeBytes: number;
      /** Whether its owner may execute it; no other permission is kept. */
      readonly isExecutable: boolean;
    };
