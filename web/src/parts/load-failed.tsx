import { Component, type ReactNode } from 'react';

/**
 * Stands where a page could not be drawn. A tab from before an upgrade requests parts that the new server
 * does not have; reloading the page mends that.
 */
export class LoadFailed extends Component<
  { readonly children: ReactNode },
  { readonly error: Error | null }
> {
  override state = { error: null as Error | null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="card" role="alert">
        <p>
          <b>This page could not be drawn.</b> The server may have been upgraded since it was opened; reading
          it anew loses nothing.
        </p>
        <p className="soft mono">{error.message}</p>
        <button type="button" className="primary" onClick={() => location.reload()}>
          Read it anew
        </button>
      </div>
    );
  }
}
