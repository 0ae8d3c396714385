// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title MarketLeaf
/// @notice Leaves under a game's root: one per clue, and one for the answer.
/// @dev Leaves are hashed twice, so that no inner node passes for one. They include chain, market, judge and position,
/// so that nobody can open a game on another judge's root. Each has its own salt, since the proof of one reveals its
/// siblings' hashes.
library MarketLeaf {
    /// @notice The leaf of a clue.
    /// @param market The market.
    /// @param judge Who committed to it.
    /// @param round Round that the clue ends.
    /// @param clue The clue's text.
    /// @param salt The leaf's salt.
    /// @return leaf The hash.
    function ofClue(
        address market,
        address judge,
        uint8 round,
        string memory clue,
        bytes32 salt
    ) internal view returns (bytes32 leaf) {
        return _leaf(market, judge, round, keccak256(bytes(clue)), salt);
    }

    /// @notice The leaf of the answer, which follows those of the clues.
    /// @param market The market.
    /// @param judge Who committed to it.
    /// @param roundCount Number of clues.
    /// @param choice The right choice.
    /// @param salt The leaf's salt.
    /// @return leaf The hash.
    function ofAnswer(
        address market,
        address judge,
        uint8 roundCount,
        uint8 choice,
        bytes32 salt
    ) internal view returns (bytes32 leaf) {
        return _leaf(market, judge, roundCount, bytes32(uint256(choice)), salt);
    }

    function _leaf(
        address market,
        address judge,
        uint8 index,
        bytes32 content,
        bytes32 salt
    ) private view returns (bytes32 leaf) {
        bytes memory body = abi.encode(block.chainid, market, judge, index, content, salt);
        return keccak256(bytes.concat(keccak256(body)));
    }
}
