# The program in a container: its Debian package is made in the first stage, from the packages of tools/packages.txt,
# and installed in the second by apt, which brings the libraries that it needs.
#
#   docker build -t kith .
#   docker run --rm -v "$PWD:/data" --user "$(id -u)" kith cluster crawl.warc.gz -o run
#   docker run --rm -v "$PWD:/data" -p 8080:8080 kith serve run --address 0.0.0.0
FROM debian:12-slim AS build
WORKDIR /kith
COPY tools/packages.txt tools/install_packages.sh tools/
RUN tools/install_packages.sh build web package
COPY . .
RUN cmake --preset package && cmake --build --preset package && cpack --preset package

FROM debian:12-slim
COPY --from=build /kith/build/package/kith_*.deb /tmp/
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends /tmp/kith_*.deb \
  && rm -rf /tmp/kith_*.deb /var/lib/apt/lists/* \
  && useradd --uid 1000 --create-home kith
USER 1000
WORKDIR /data
EXPOSE 8080
ENTRYPOINT ["kith"]
CMD ["--help"]
