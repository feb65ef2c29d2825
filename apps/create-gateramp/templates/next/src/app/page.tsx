import { type ReactNode } from 'react';

export default function Shop(): ReactNode {
  return (
    <form method="post" action="/orders">
      <h1>A mug, 25.00 EUR</h1>
      <button>Buy</button>
    </form>
  );
}
