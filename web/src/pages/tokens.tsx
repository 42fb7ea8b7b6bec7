import { Quiet } from '../parts/quiet.tsx';

export function Tokens(_: { readonly session?: unknown }) {
  return <Quiet>…</Quiet>;
}
