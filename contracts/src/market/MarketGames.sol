// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IBurnableToken} from "../interfaces/IBurnableToken.sol";
import {IMarketGames} from "../interfaces/IMarketGames.sol";
import {MarketLedger} from "./MarketLedger.sol";

/// @title MarketGames
/// @notice Opening games.
abstract contract MarketGames is MarketLedger {
    using SafeERC20 for IBurnableToken;

    uint256 private constant MOST_ROUNDS = 32;
    uint256 private constant MOST_CHOICES = 16;
    uint256 private constant MOST_SECONDS = 30 days;
    uint256 private constant MOST_DETAILS = 2_048;

    /// @dev A twentieth of the losing stakes; bettors see the fee before they bet.
    uint256 private constant MOST_FEE_BPS = 500;

    /// @dev Ten, so that a Judge that lets a game time out pays ten bettors of the least bet their whole bet.
    uint256 private constant LEAST_BOND_IN_BETS = 10;

    /// @inheritdoc IMarketGames
    function createGame(GameConfig calldata config, string calldata details) external returns (uint256 gameId) {
        return _create(msg.sender, config, details);
    }

    /// @inheritdoc IMarketGames
    function createGameFor(address judge, GameConfig calldata config) external returns (uint256 gameId) {
        _requirePeerFacade();
        return _create(judge, config, "");
    }

    function _create(
        address judge,
        GameConfig calldata config,
        string memory details
    ) internal returns (uint256 gameId) {
        _requireTerms(config);
        uint256 length = bytes(details).length;
        if (length > MOST_DETAILS) revert PredictionMarket_TextTooLong(length, MOST_DETAILS);

        gameId = _gameCount++;
        Game storage game = _games[gameId];
        game.judge = judge;
        game.startsAtSec = config.startsAtSec;
        game.roundCount = config.roundCount;
        game.choiceCount = config.choiceCount;
        game.minBet = config.minBet;
        game.bettingSec = config.bettingSec;
        game.revealSec = config.revealSec;
        game.disputeSec = config.disputeSec;
        game.freeShares = config.freeShares;
        game.bond = config.bond;
        game.feeBps = config.feeBps;
        game.root = config.root;
        emit GameCreated(gameId, judge, config, details);
        token.safeTransferFrom(msg.sender, address(this), config.bond);
    }

    function _requireTerms(GameConfig calldata config) internal view {
        _requireTerm("roundCount", config.roundCount, 1, MOST_ROUNDS);
        _requireTerm("choiceCount", config.choiceCount, 2, MOST_CHOICES);
        _requireTerm("startsAtSec", config.startsAtSec, block.timestamp, block.timestamp + MOST_SECONDS);
        _requireTerm("bettingSec", config.bettingSec, 1, MOST_SECONDS);
        _requireTerm("revealSec", config.revealSec, 1, MOST_SECONDS);
        _requireTerm("disputeSec", config.disputeSec, minDisputeSec, MOST_SECONDS);
        _requireTerm("minBet", config.minBet, 1, type(uint96).max);
        _requireTerm("freeShares", config.freeShares, config.minBet, type(uint96).max);
        _requireTerm("bond", config.bond, LEAST_BOND_IN_BETS * config.minBet, type(uint112).max);
        _requireTerm("feeBps", config.feeBps, 0, MOST_FEE_BPS);
    }

    function _requireTerm(string memory term, uint256 value, uint256 low, uint256 high) internal pure {
        if (value < low || value > high) revert PredictionMarket_TermOutOfRange(term, value, low, high);
    }
}
