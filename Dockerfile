# The same images as `make image` builds without a container engine: Node, its libraries, the release, and nothing else.
# `docker build .` makes that of the controller, `docker build --target agent .` that of the node agent.
FROM node:24-bookworm-slim AS build
# Node 26 is linked to libatomic, which the base lacks, and npm already runs install scripts with that Node. The agent
# takes programs of systemd with it.
RUN apt-get update && apt-get install --yes --no-install-recommends libatomic1 systemd
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN node_modules/.bin/node scripts/bundle.ts && node_modules/.bin/node scripts/build-image.ts --root /image

FROM scratch AS base
COPY --from=build /image/runtime /
COPY --from=build /image/program /
ENV NODE_ENV=production PATH=/usr/bin HOME=/nonexistent NODE_COMPILE_CACHE=/lifeboat/cache NODE_COMPILE_CACHE_PORTABLE=1
WORKDIR /
ENTRYPOINT ["/usr/bin/node", "/lifeboat/lifeboat.mjs"]

FROM base AS agent
COPY --from=build /image/tools /
USER 0:0

# The last one is what is built where no target is named.
FROM base AS controller
USER 65532:65532
