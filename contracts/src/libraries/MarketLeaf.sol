// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Hashes} from "@openzeppelin/contracts/utils/cryptography/Hashes.sol";

/// @title MarketLeaf
/// @notice Leaves under a game's root: one per clue, and one for the answer.
/// @dev The root is `H(clue 0, H(clue 1, ... H(last clue, answer)))`, with H of each pair in this order. So each leaf
/// has one place: a second clue or answer there would be a collision of H. Sorted pairs, or proofs of any length, would
/// let a Judge choose among several after the bets.
/// @dev Leaves are hashed twice, so that no inner node passes for one. They include chain, market, judge and position,
/// so that nobody can open a game on another judge's root. Each has its own salt, since the proof of one reveals other
/// leaves' hashes.
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

    /// @notice The root over a clue.
    /// @param leaf The clue's leaf.
    /// @param proof The hash of all that follows, then the leaves of earlier clues, latest first.
    /// @return root The root.
    function rootOverClue(bytes32 leaf, bytes32[] calldata proof) internal pure returns (bytes32 root) {
        return _under(Hashes.efficientKeccak256(leaf, proof[0]), proof, 1);
    }

    /// @notice The root over the answer.
    /// @param leaf The answer's leaf.
    /// @param proof The leaves of all clues, last first.
    /// @return root The root.
    function rootOverAnswer(bytes32 leaf, bytes32[] calldata proof) internal pure returns (bytes32 root) {
        return _under(leaf, proof, 0);
    }

    /// @dev The root over what follows a clue, given the leaves of that clue and of those before it.
    function _under(bytes32 rest, bytes32[] calldata proof, uint256 from) private pure returns (bytes32 root) {
        root = rest;
        for (uint256 i = from; i < proof.length; ++i) root = Hashes.efficientKeccak256(proof[i], root);
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
