import { Quiet } from '../parts/quiet.tsx';

export function Model(_: { readonly session?: unknown }) {
  return <Quiet>…</Quiet>;
}
