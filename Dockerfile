# The reference server: `docker build -t gateramp .`. Settings are in docs/operating.md; a whole system is in compose.yaml.

# Only what decides which packages are installed, so that a change of code does not install them again.
# By digest, so that the same commit builds on the same base. To renew it:
# docker buildx imagetools inspect node:22-bookworm-slim --format '{{.Manifest.Digest}}'
FROM node:22-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c AS manifests
WORKDIR /all
COPY . .
RUN mkdir /manifests \
  && find . -maxdepth 4 \( -name package.json -o -name package-lock.json -o -name .npmrc \) -not -path '*/node_modules/*' -exec cp --parents -t /manifests {} +

FROM node:22-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c AS build
WORKDIR /app
COPY --from=manifests /manifests ./
RUN npm ci --include=dev --no-audit --no-fund
COPY . .
RUN npm run build:js \
  && npm prune --omit=dev --no-audit --no-fund \
  && find packages sdks apps -mindepth 2 -maxdepth 2 ! -name dist ! -name package.json ! -name node_modules -exec rm -rf {} + \
  && chmod +x apps/reference-server/dist/cli.js

FROM node:22-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c
WORKDIR /app
ENV NODE_ENV=production GATE_HOST=0.0.0.0 GATE_LOG=json
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/packages ./packages
COPY --from=build /app/sdks ./sdks
COPY --from=build /app/apps ./apps
RUN ln -s /app/apps/reference-server/dist/cli.js /usr/local/bin/gate
USER node
EXPOSE 4242 4243 4244 4245 4246 4247 4248
# SIGTERM drains within GATE_DRAIN_DELAY_MS and twelve seconds; give a container fifteen and the delay before it is killed.
STOPSIGNAL SIGTERM
# Alive, not ready: a container that is restarted while its database is away is no help.
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.GATE_OPS_PORT || 4247) + '/health').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "apps/reference-server/dist/main.js"]
