# The same image as `make image` builds without a container engine: Node, its libraries, the release, and nothing else.
FROM node:24-bookworm-slim AS build
# Node 26 is linked to libatomic, which the base lacks, and npm already runs install scripts with that Node.
RUN apt-get update && apt-get install --yes --no-install-recommends libatomic1
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN node_modules/.bin/node scripts/bundle.ts && node_modules/.bin/node scripts/build-image.ts --root /image

FROM scratch
COPY --from=build /image/runtime /
COPY --from=build /image/program /
ENV NODE_ENV=production PATH=/usr/bin NODE_COMPILE_CACHE=/lifeboat/cache NODE_COMPILE_CACHE_PORTABLE=1
WORKDIR /
USER 65532:65532
ENTRYPOINT ["/usr/bin/node", "/lifeboat/lifeboat.mjs"]
