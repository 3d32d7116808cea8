# Run by CPack on the tree that becomes the .deb: compresses manual pages and change logs as Debian
# wants them, without names and times. The date of the package is SOURCE_DATE_EPOCH, or now.
set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${usr}/share/doc/kith/changelog
  "kith (${CPACK_PACKAGE_VERSION}) stable; urgency=medium\n\n"
  "  * What has changed is in CHANGELOG.md.gz.\n\n"
  " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
file(GLOB files ${usr}/share/man/man1/*.1 ${usr}/share/doc/kith/changelog ${usr}/share/doc/kith/CHANGELOG.md)
execute_process(COMMAND gzip -9 -n -f ${files} COMMAND_ERROR_IS_FATAL ANY)
