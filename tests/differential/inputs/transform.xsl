<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="xml" indent="yes"/>
  <xsl:key name="by-group" match="row" use="@group"/>
  <xsl:template match="/rows">
    <groups total="{sum(row/@value)}">
      <xsl:for-each select="row[generate-id() = generate-id(key('by-group', @group)[1])]">
        <xsl:sort select="@group"/>
        <group name="{@group}" rows="{count(key('by-group', @group))}" sum="{sum(key('by-group', @group)/@value)}">
          <xsl:for-each select="key('by-group', @group)[position() &lt; 4]">
            <xsl:sort select="@value" data-type="number" order="descending"/>
            <first><xsl:value-of select="translate(concat(@group, '-', .), 'abc', 'xyz')"/></first>
          </xsl:for-each>
        </group>
      </xsl:for-each>
    </groups>
  </xsl:template>
</xsl:stylesheet>
