import { useEffect, useState } from 'preact/hooks';

/** Minutes and seconds until an instant on this device's clock. Not announced each second: it is there for whoever looks. */
export function Countdown({ until }: { readonly until: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((until - now) / 1000));
  return (
    <bdi role="timer" class="countdown">
      {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, '0')}
    </bdi>
  );
}
